/** All credentials that a run knows: of its variables, `.env` included, and of the files in which tokens are kept. */
import type { LoadedConfig } from "../config/load.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { environmentSecrets, fileSecrets } from "../session/secrets/known-secrets.ts"

export const runSecrets = ({ environment, storage }: LoadedConfig): ReadonlyArray<Secret> => {
  const serviceAccount = environment.get("GOOGLE_APPLICATION_CREDENTIALS")
  return [
    ...environmentSecrets(environment.variables),
    ...fileSecrets([
      storage.oauthCredentialsFile,
      storage.mcpTokensFile,
      ...(serviceAccount === undefined ? [] : [serviceAccount])
    ])
  ]
}
