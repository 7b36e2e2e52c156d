/** `gemini mcp login` and `logout`: a login in the browser, or with a code that is pasted into the terminal. */
import { createInterface } from "node:readline"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Effect, Either } from "effect"
import { openPage } from "../../config/browser.ts"
import type { EnvironmentView } from "../../config/environment.ts"
import { httpOf } from "../../config/http.ts"
import { loginStore } from "../../mcp/oauth/auth-from-config.ts"
import { makeKeptLogins } from "../../mcp/oauth/kept-logins.ts"
import type { LoginDialogue } from "../../mcp/oauth/login.ts"
import { LoginStore } from "../../mcp/oauth/login-store.ts"
import { planServer } from "../../mcp/server-config.ts"
import { isTerminal } from "../../system/terminal.ts"
import { CliContext, type CliContextView } from "../cli-context.ts"
import { usageError } from "../usage-error.ts"
import { findServer, loadForServers } from "./mcp-settings.ts"

const name = Args.text({ name: "name" })

export const login = Command.make("login", { name }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadForServers()
    const [found, server] = yield* findServer(config, options.name)
    const plan = yield* Either.match(
      planServer(found, server, {
        environment: config.environment,
        redaction: { allowed: [], blocked: [] },
        trust: config.trust.trust
      }),
      { onLeft: (error) => usageError(error.message), onRight: Effect.succeed }
    )
    const dialogue = dialogueAt(context, config.environment)
    yield* makeKeptLogins({ http: httpOf(config), dialogue, variable: config.environment.get }).pipe(
      Effect.flatMap((logins) => logins.logIn(plan, dialogue)),
      Effect.provide(loginStore(config, (line) => context.writeError(`${line}\n`))),
      Effect.catchTag("McpError", (error) => usageError(error.message))
    )
    yield* context.write(`Logged in to the MCP server "${found}".\n`)
  })
).pipe(Command.withDescription("Log in to a server and keep the login."))

export const logout = Command.make("logout", { name }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadForServers()
    const store = yield* Effect.provide(
      LoginStore,
      loginStore(config, () => Effect.void)
    )
    const wasThere = yield* Effect.catchTag(store.forget(options.name), "StorageError", (error) =>
      usageError(error.message)
    )
    if (!wasThere) {
      return yield* usageError(
        `No login is kept for an MCP server "${options.name}"`,
        "gemini mcp list shows the servers."
      )
    }
    yield* context.write(`Logged out of the MCP server "${options.name}".\n`)
  })
).pipe(Command.withDescription("Forget the login of a server."))

const dialogueAt = ({ writeError }: CliContextView, environment: EnvironmentView): LoginDialogue => {
  const canPaste = isTerminal(0)
  return {
    tell: (line) =>
      writeError(canPaste ? `${line}\nOr paste the code, or the address of the last page, here: ` : `${line}\n`),
    open: (url) => openPage(url, environment),
    pasted: canPaste ? pastedLine : Effect.never
  }
}

const pastedLine = Effect.async<string>((resume) => {
  const lines = createInterface({ input: process.stdin, terminal: false })
  lines.once("line", (line) => resume(Effect.succeed(line)))
  return Effect.sync(() => lines.close())
})
