/** `/auth`: sign in another way, or forget the key that was kept. Keys in variables and files of the person stay. */
import { Effect } from "effect"
import { forgetApiKey } from "../../auth/key-store.ts"
import { removeSetting } from "../../config/edit-settings.ts"
import { Environment } from "../../config/environment.ts"
import { Storage } from "../../config/storage.ts"
import { type CommandResult, slash } from "../command.ts"
import { failed } from "../command-error.ts"

const signIn = Effect.succeed<CommandResult>({ _tag: "SignIn", told: "" })

export const auth = slash({
  name: "auth",
  description: "Choose how to sign in",
  run: () => signIn,
  subcommands: [
    slash({ name: "signin", aliases: ["login"], description: "Choose how to sign in", run: () => signIn }),
    slash({
      name: "signout",
      aliases: ["logout"],
      description: "Forget the stored key and the chosen way to sign in",
      run: Effect.fnUntraced(function* () {
        const environment = yield* Environment
        const storage = yield* Storage
        const fileOnly = environment.get("GEMINI_FORCE_FILE_STORAGE") === "true"
        yield* Effect.mapError(forgetApiKey({ home: environment.home, fileOnly }), failed)
        const target = { scope: "user", file: storage.userSettingsFile } as const
        yield* Effect.mapError(removeSetting(target, { key: "security.auth.selectedType", inside: [] }), failed)
        return { _tag: "SignIn", told: "Signed out: the stored key is gone." } satisfies CommandResult as CommandResult
      })
    })
  ]
})
