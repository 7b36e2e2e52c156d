/** All credentials that a run knows: of its variables, `.env` included, and of the files in which tokens are kept. */
import type { LoadedConfig } from "../config/load.ts"
import { redactSecrets, type Secret } from "../kernel/redact-secrets.ts"
import { environmentSecrets, fileSecrets } from "../system/known-secrets.ts"

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

/** Takes them out of a text. */
export const cleanerOf = (config: LoadedConfig): ((text: string) => string) => {
  const secrets = runSecrets(config)
  return (text) => redactSecrets(text, secrets)
}
