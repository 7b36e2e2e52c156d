/** Signing in with a Google account from a conversation: the same dialogue as `gemini auth login`, on the screen. */
import { Effect, Option } from "effect"
import { storeOf } from "../../auth/google/account.ts"
import { codeAssistPlan } from "../../auth/google/code-assist-plan.ts"
import { signIn } from "../../auth/google/sign-in.ts"
import { browserProgram, openPage } from "../../config/browser.ts"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { ask } from "../ask.ts"
import type { LineEditor } from "../editor/line-editor.ts"
import { Keyboard } from "../terminal/keyboard.ts"
import { Screen } from "../terminal/screen.ts"

/** What stood in the way; `undefined`: somebody is signed in now. */
export const signInAtTerminal = Effect.fn("Repl.signIn")(function* (config: LoadedConfig) {
  const screen = yield* Screen
  const around = yield* Effect.context<Screen | LineEditor | Keyboard>()
  const { cancelled } = yield* Keyboard
  const { environment, storage } = config
  return yield* codeAssistPlan("oauth-personal", environment.variables).pipe(
    Effect.flatMap(({ oauth }) =>
      signIn({
        oauth,
        http: httpOf(config),
        store: storeOf(config),
        accountsFile: storage.googleAccountsFile,
        variable: environment.get,
        dialogue: {
          // An address is not broken into lines: it has to be copied whole.
          tell: screen.print,
          ask: (text) => Effect.map(Effect.provide(ask({ text, choices: [] }), around), Option.getOrUndefined),
          open: browserProgram(environment) === undefined ? undefined : (url) => openPage(url, environment),
          cancelled
        }
      })
    ),
    Effect.tap((email) => screen.print(`Signed in${email === undefined ? "" : ` as ${email}`}.`)),
    Effect.match({ onFailure: (error) => error, onSuccess: () => undefined })
  )
})
