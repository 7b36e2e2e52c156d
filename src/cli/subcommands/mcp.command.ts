/**
 * `gemini mcp`: look at MCP servers, try them, log in to them, turn them on and off. Results go to standard output,
 * what is wrong to standard error.
 */
import { resolve } from "node:path"
import { createInterface } from "node:readline"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Either, Option } from "effect"
import { openPage } from "../../config/browser.ts"
import { removeSetting } from "../../config/edit-settings.ts"
import type { EnvironmentView } from "../../config/environment.ts"
import { httpOf } from "../../config/http.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { setDisabled } from "../../mcp/enablement-file.ts"
import { loginStore } from "../../mcp/oauth/auth-from-config.ts"
import { type LoginDialogue, makeKeptLogins } from "../../mcp/oauth/kept-logins.ts"
import { LoginStore } from "../../mcp/oauth/login-store.ts"
import { planServer } from "../../mcp/server-config.ts"
import { serverDocument, serverLine, testedText, troublesOf } from "../../mcp/server-report.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { ApprovalMode } from "../../protocol/modes.ts"
import { isTerminal } from "../../system/terminal.ts"
import { CliContext, type CliContextView } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { splitList } from "../parse-argv.ts"
import { defineSubcommand } from "../subcommand.ts"
import { usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, text, texts } from "./common-options.ts"
import { unreadableSettings } from "./load-settings.ts"
import { add, serverScope } from "./mcp-add.command.ts"
import { findServer, loadForServers, lookAtServers, scopeFile, serversOf } from "./mcp-settings.ts"

const name = Args.text({ name: "name" })
const session = Options.boolean("session").pipe(Options.withDescription("For the present session only."))

const remove = Command.make("remove", { name, scope: serverScope }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadForServers()
    const target = yield* scopeFile(config, options.scope)
    const isRemoved = yield* removeSetting(target, { key: "mcpServers", inside: [options.name] })
    if (!isRemoved) {
      return yield* usageError(
        `There is no MCP server "${options.name}" in ${target.file}`,
        `Try --scope ${options.scope === "user" ? "project" : "user"}; gemini mcp list shows all servers.`
      )
    }
    yield* context.write(`MCP server "${options.name}" removed from the ${options.scope} settings: ${target.file}\n`)
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Remove a server."))

const list = Command.make("list", { json }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadForServers()
    const views = yield* lookAtServers(config, yield* serversOf(config))
    if (options.json) return yield* context.write(jsonDocument(views.map(serverDocument)))
    if (views.length === 0) return yield* context.write("No MCP servers are configured.\n")
    yield* context.write(`${views.map(serverLine).join("\n")}\n`)
    yield* Effect.forEach(views.flatMap(troublesOf), (text) => context.writeError(`[WARNING] ${text}\n`), {
      discard: true
    })
  })
).pipe(Command.withDescription("Connect to each server and show its state."))

const test = Command.make("test", { name, json }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadForServers()
    const [found, server] = yield* findServer(config, options.name)
    const startedAt = yield* monotonicMillis
    const known = yield* serversOf(config)
    const [view] = yield* lookAtServers(config, { ...known, servers: { [found]: server } })
    const startMs = (yield* monotonicMillis) - startedAt
    if (view === undefined) return
    const troubles = troublesOf(view)
    yield* context.write(
      options.json
        ? jsonDocument({ ...serverDocument(view), ok: troubles.length === 0, start_ms: startMs })
        : testedText(view, startMs)
    )
    yield* Effect.forEach(troubles, (text) => context.writeError(`[ERROR] ${text}\n`), { discard: true })
    if (troubles.length > 0) yield* exitWith(ExitCode.general)
  })
).pipe(Command.withDescription("Start a server and check what it offers; exit 1 when something is wrong."))

const turn = (verb: "enable" | "disable", description: string) =>
  Command.make(verb, { name, session }, (options) =>
    Effect.gen(function* () {
      const context = yield* CliContext
      if (options.session) {
        return yield* usageError(
          "--session works inside a session only",
          `There, write: /mcp ${verb} ${options.name} --session`
        )
      }
      const config = yield* loadForServers()
      const [found] = yield* findServer(config, options.name)
      yield* setDisabled(config.storage.mcpEnablementFile, found, verb === "disable")
      yield* context.write(`MCP server "${found}" ${verb}d.\n`)
    })
  ).pipe(Command.withDescription(description))

const serveFlags = {
  model: Options.withAlias(text("model", "NAME", "The model of runs."), "m"),
  approvalMode: Options.choice("approval-mode", ApprovalMode.literals).pipe(
    Options.withPseudoName("MODE"),
    Options.withDescription("Of runs, and the freest that a client can ask for."),
    Options.optional
  ),
  skipTrust: Options.boolean("skip-trust").pipe(Options.withDescription("Folders of runs count as trusted.")),
  includeDirectories: texts(
    "include-directories",
    "PATHS",
    "More folders that runs may work in, beside the present one."
  ),
  policy: texts("policy", "PATHS", "Policy files or folders of runs."),
  adminPolicy: texts("admin-policy", "PATHS", "The same for the admin tier."),
  allowedTools: texts("allowed-tools", "NAMES", "Tools that run without a question."),
  limits: Options.all({
    "max-turns": text("max-turns", "N", "Most model turns of a run."),
    "max-time": text("max-time", "TIME", "Longest time of a run: 90s, 10m."),
    "max-tool-calls": text("max-tool-calls", "N", "Most tool calls of a run."),
    "max-tokens": text("max-tokens", "N", "Most tokens of a run."),
    "max-cost": text("max-cost", "USD", "Most that a run may cost.")
  })
}

/** Written out as flags of a run. Paths are those of the folder of the server, wherever a run works. */
const serve = Command.make("serve", serveFlags, (given) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const one = (name: string, value: Option.Option<string>) =>
      Option.match(value, { onNone: () => [], onSome: (text) => [`--${name}=${text}`] })
    const paths = (name: string, values: ReadonlyArray<string>) =>
      splitList(values).map((path) => `--${name}=${resolve(context.cwd, path)}`)
    const flags = [
      ...one("model", given.model),
      ...one("approval-mode", given.approvalMode),
      ...(given.skipTrust ? ["--skip-trust"] : []),
      ...paths("include-directories", given.includeDirectories),
      ...paths("policy", given.policy),
      ...paths("admin-policy", given.adminPolicy),
      ...given.allowedTools.map((names) => `--allowed-tools=${names}`),
      ...Object.entries(given.limits).flatMap(([name, value]) => one(name, value))
    ]
    yield* exitWith(yield* context.serve(flags))
  })
).pipe(Command.withDescription("Offer this agent to others as an MCP server on standard input and output."))

const serverName = Args.text({ name: "name" })

/** `gemini mcp login` and `logout`: a login in the browser, or with a code that is pasted into the terminal. */
const login = Command.make("login", { name: serverName }, (options) =>
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

const logout = Command.make("logout", { name: serverName }, (options) =>
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

const command = Command.make("mcp").pipe(
  Command.withDescription("Manage MCP servers."),
  Command.withSubcommands([
    add,
    remove,
    list,
    turn("enable", "Turn a server on."),
    turn("disable", "Turn a server off."),
    test,
    login,
    logout,
    serve
  ])
)

export const subcommand = defineSubcommand({
  matching: "always",
  command,
  // `gemini mcp add docs npx -y server --port 80` needs no quoting.
  passesOptions: ["add"],
  examples: ["gemini mcp add docs npx -y @acme/docs-server", "gemini mcp add -t http docs https://docs.example.com/mcp"]
})
