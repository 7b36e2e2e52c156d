/** `gemini mcp add`: writes a server into the settings of the user or of the project. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Either, Option } from "effect"
import { readForEdit, storeSetting } from "../../config/edit-settings.ts"
import { loadConfig } from "../../config/load.ts"
import { addTrusted } from "../../config/programs/trusted-programs-file.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { nonBlank } from "../../kernel/non-blank.ts"
import { projectServers } from "../../mcp/project-servers.ts"
import { CliContext, type CliContextView } from "../cli-context.ts"
import { splitList } from "../parse-argv.ts"
import { type UsageError, usageError } from "../usage-error.ts"
import { scope, text, texts } from "./common-options.ts"
import { unreadableSettings } from "./load-settings.ts"
import { scopeFile } from "./mcp-settings.ts"

export const serverScope = Options.withDefault(scope(["user", "project"]), "project" as const)

const input = {
  name: Args.text({ name: "name" }),
  commandOrUrl: Args.text({ name: "commandOrUrl" }),
  args: Args.text({ name: "args" }).pipe(Args.repeated),
  scope: serverScope,
  transport: Options.choice("transport", ["stdio", "sse", "http"]).pipe(
    Options.withAlias("t"),
    Options.withAlias("type"),
    Options.withPseudoName("KIND"),
    Options.withDescription("How to reach it."),
    Options.withDefault("stdio" as const)
  ),
  env: Options.withAlias(texts("env", "KEY=VALUE", "Variable of the server."), "e"),
  header: Options.withAlias(texts("header", "'KEY: VALUE'", "Header of each request."), "H"),
  timeout: text("timeout", "MS", "Limit of one request in milliseconds."),
  trust: Options.boolean("trust").pipe(Options.withDescription("Run its tools without a question.")),
  description: text("description", "TEXT", "What the server is for."),
  includeTools: texts("include-tools", "NAMES", "Only these of its tools."),
  excludeTools: texts("exclude-tools", "NAMES", "All of its tools but these.")
}

type AddInput = Command.Command.ParseConfig<typeof input>

export const add = Command.make("add", input, (given) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    if (nonBlank(given.name) === undefined) return yield* usageError("A name for the server is missing", HINT)
    const server = yield* serverOf(given)
    const config = yield* loadConfig({
      env: context.env,
      cwd: context.cwd,
      platform: process.platform,
      flags: { skipTrust: false, ignoreEnv: false },
      tolerant: true
    })
    const target = yield* scopeFile(config, given.scope)
    const { document } = yield* readForEdit(target)
    const present = document.entries.get("mcpServers")?.value
    const isKnown = typeof present === "object" && present !== null && Object.hasOwn(present, given.name)
    yield* storeSetting(target, { key: "mcpServers", inside: [given.name] }, server)
    // Whoever adds a server has agreed to it.
    if (given.scope === "project") yield* agreeTo(given.name, context)
    if (isKnown) yield* context.writeError(`[INFO] ${target.file} had a server "${given.name}": it is replaced\n`)
    if (given.scope === "project" && config.trust.trust === "untrusted") {
      yield* context.writeError("[WARNING] the folder is not trusted: its servers do not start until it is\n")
    }
    const kind = server.type ?? "stdio"
    yield* context.write(`MCP server "${given.name}" (${kind}) added to the ${given.scope} settings: ${target.file}\n`)
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Add a server, or replace one of the same name."))

const HINT = "gemini mcp add <name> <commandOrUrl> [args...]; see gemini mcp --help."

const agreeTo = Effect.fnUntraced(function* (name: string, context: CliContextView) {
  const config = yield* loadConfig({
    env: context.env,
    cwd: context.cwd,
    platform: process.platform,
    flags: { skipTrust: true, ignoreEnv: false },
    tolerant: true
  })
  const added = projectServers(config).find((one) => one.name === name && one.agent === undefined)
  if (added === undefined) return
  yield* addTrusted(config.storage.trustedHooksFile, config.environment.cwd, added.fingerprint).pipe(
    Effect.catchAll(({ message }) => context.writeError(`[WARNING] you will be asked about the server: ${message}\n`))
  )
})

/** The entry as it is written: only what was asked for. */
const serverOf = ({ args, commandOrUrl, transport, ...values }: AddInput): Either.Either<McpServer, UsageError> =>
  Either.gen(function* () {
    const common = {
      ...(Option.isNone(values.timeout) ? {} : { timeout: yield* milliseconds(values.timeout.value) }),
      ...(values.trust ? { trust: true } : {}),
      ...(Option.isNone(values.description) ? {} : { description: values.description.value }),
      ...(values.includeTools.length === 0 ? {} : { includeTools: splitList(values.includeTools) }),
      ...(values.excludeTools.length === 0 ? {} : { excludeTools: splitList(values.excludeTools) })
    }
    if (transport === "sse" || transport === "http") {
      if (!/^https?:\/\//.test(commandOrUrl)) return yield* Either.left(notAUrl(commandOrUrl))
      const headers = yield* pairs(values.header, ":", "header")
      return { url: commandOrUrl, type: transport, ...(headers === undefined ? {} : { headers }), ...common }
    }
    const env = yield* pairs(values.env, "=", "env")
    return {
      command: commandOrUrl,
      ...(args.length === 0 ? {} : { args }),
      ...(env === undefined ? {} : { env }),
      ...common
    }
  })

const milliseconds = (typed: string): Either.Either<number, UsageError> => {
  const value = Number(typed)
  return Number.isInteger(value) && value > 0
    ? Either.right(value)
    : Either.left(usageError(`--timeout cannot be "${typed}"`, "Write a number of milliseconds."))
}

/** Split at the first separator: a value may hold more of them. */
const pairs = (
  given: ReadonlyArray<string>,
  separator: string,
  option: string
): Either.Either<Readonly<Record<string, string>> | undefined, UsageError> => {
  if (given.length === 0) return Either.right(undefined)
  const found: Record<string, string> = {}
  for (const text of given) {
    const at = text.indexOf(separator)
    if (at <= 0) {
      return Either.left(usageError(`--${option} cannot be "${text}"`, `Write it as NAME${separator}VALUE.`))
    }
    found[text.slice(0, at).trim()] = separator === ":" ? text.slice(at + 1).trim() : text.slice(at + 1)
  }
  return Either.right(found)
}

const notAUrl = (text: string): UsageError => usageError(`"${text}" is no url`, "It begins with https:// or http://.")
