/**
 * All credentials that a run knows: of its variables, `.env` included, of the files in which tokens are kept, and those
 * that it learnt elsewhere. The model does not see them, and nothing that is kept or sent holds them.
 */
import { Context, Effect, Layer } from "effect"
import { service } from "../kernel/layers.ts"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import { environmentSecrets, fileSecrets } from "../system/known-secrets.ts"
import type { LoadedConfig } from "./load.ts"

export class Secrets extends Context.Tag("agent/config/Secrets")<
  Secrets,
  {
    /** Files are read when somebody asks. The list grows by what is learnt later, wherever it was taken. */
    readonly all: Effect.Effect<ReadonlyArray<Secret>>
    /** Found where no variable and no file names it. */
    readonly learn: (found: ReadonlyArray<Secret>) => Effect.Effect<void>
  }
>() {}

/** `onLearnt`: whoever redacts without being asked, such as a log. */
export const layer = (config: LoadedConfig, onLearnt: (found: ReadonlyArray<Secret>) => void) =>
  service(
    Secrets,
    Effect.sync(() => {
      const known: Array<Secret> = []
      const seen = new Set<string>()
      const unseen = (found: ReadonlyArray<Secret>) =>
        found.filter(({ name, value }) => {
          const key = `${name}=${value}`
          return !seen.has(key) && seen.add(key)
        })
      return Secrets.of({
        all: Effect.sync(() => {
          // The names that the person gave them say more than ours.
          known.unshift(...unseen(secretsIn(config)))
          return known
        }),
        learn: (found) =>
          Effect.sync(() => {
            known.push(...unseen(found))
            onLearnt(found)
          })
      })
    })
  )

/** These and no others. */
export const layerOf = (all: ReadonlyArray<Secret>) =>
  Layer.succeed(Secrets, { all: Effect.succeed(all), learn: () => Effect.void })

/** Those that the configuration knows by itself. */
export const secretsIn = ({ environment, storage }: LoadedConfig): ReadonlyArray<Secret> => {
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

/** Takes them out of JSON. */
export const redaction: Effect.Effect<(json: string) => string, never, Secrets> = Effect.flatMap(Secrets, ({ all }) =>
  Effect.map(all, redactionOf)
)
