/** `/auth`: sign in another way, or forget what was kept. Keys in variables and files of the person stay. */
import { Effect } from "effect"
import { removeSetting } from "../../config/edit-settings.ts"
import { Environment } from "../../config/environment.ts"
import { Storage } from "../../config/storage.ts"
import { lazy } from "../../kernel/lazy.ts"
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
      description: "Forget what is stored, and the chosen way to sign in",
      run: Effect.fnUntraced(function* () {
        const environment = yield* Environment
        const storage = yield* Storage
        const { forgetApiKey } = yield* lazy(() => import("../../auth/api-key.ts"))
        const { credentialsOf } = yield* lazy(() => import("../../auth/credentials.ts"))
        yield* Effect.mapError(forgetApiKey(credentialsOf({ environment })), failed)
        const { signOut } = yield* lazy(() => import("../../auth/google/sign-in.ts"))
        const { storeOf } = yield* lazy(() => import("../../auth/google/account.ts"))
        yield* Effect.mapError(signOut(storeOf({ environment, storage }), storage.googleAccountsFile), failed)
        const target = { scope: "user", file: storage.userSettingsFile } as const
        yield* Effect.mapError(removeSetting(target, { key: "security.auth.selectedType", inside: [] }), failed)
        return {
          _tag: "SignIn",
          told: "You are signed out: the stored key and the sign-in with Google are gone.",
          isSignedOut: true
        } satisfies CommandResult as CommandResult
      })
    })
  ]
})
