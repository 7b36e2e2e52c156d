/** `gemini mcp add`: writes a server into the settings of the user or of the project. */
import { Effect, Either } from "effect"
import { readForEdit, storeSetting } from "../../config/edit-settings.ts"
import { loadConfig } from "../../config/load.ts"
import { addTrusted } from "../../config/programs/trusted-programs-file.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { projectServers } from "../../mcp/project-servers.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import type { CliContextView } from "../cli-context.ts"
import { splitList } from "../parse-argv.ts"
import { mcp } from "../subcommand-table/extending.ts"
import { type UsageError, usageError } from "../usage-error.ts"
import { unreadableSettings } from "./load-settings.ts"
import { type AddArguments, readAddArguments } from "./mcp-add-arguments.ts"
import { scopeFile } from "./mcp-settings.ts"

const rows = () => mcp.verbs.find(({ name }) => name === "add")?.options ?? []

/** The exit code. */
export const addServer = (args: ReadonlyArray<string>, context: CliContextView) =>
  Effect.gen(function* () {
    const given = yield* readAddArguments(rows(), args)
    const server = yield* serverOf(given)
    const config = yield* loadConfig({
      env: context.env,
      cwd: context.cwd,
      platform: process.platform,
      flags: { skipTrust: false, ignoreEnv: false },
      tolerant: true
    })
    const scope = given.values.scope?.at(-1) === "user" ? "user" : "project"
    const target = yield* scopeFile(config, scope)
    const { document } = yield* readForEdit(target)
    const present = document.entries.get("mcpServers")?.value
    const isKnown = typeof present === "object" && present !== null && Object.hasOwn(present, given.name)
    yield* storeSetting(target, { key: "mcpServers", inside: [given.name] }, server)
    // Whoever adds a server has agreed to it.
    if (scope === "project") yield* agreeTo(given.name, context)
    if (isKnown) yield* context.writeError(`[INFO] ${target.file} had a server "${given.name}": it is replaced\n`)
    if (scope === "project" && config.trust.trust === "untrusted") {
      yield* context.writeError("[WARNING] the folder is not trusted: its servers do not start until it is\n")
    }
    const kind = server.type ?? "stdio"
    yield* context.write(`MCP server "${given.name}" (${kind}) added to the ${scope} settings: ${target.file}\n`)
    return ExitCode.success
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))

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
export const serverOf = ({ args, commandOrUrl, values }: AddArguments): Either.Either<McpServer, UsageError> =>
  Either.gen(function* () {
    const transport = values.transport?.at(-1) ?? "stdio"
    const common = {
      ...(values.timeout === undefined ? {} : { timeout: yield* milliseconds(values.timeout) }),
      ...(values.trust === undefined ? {} : { trust: values.trust.at(-1) !== "false" }),
      ...(values.description === undefined ? {} : { description: values.description.at(-1) ?? "" }),
      ...(values.includeTools === undefined ? {} : { includeTools: splitList(values.includeTools) }),
      ...(values.excludeTools === undefined ? {} : { excludeTools: splitList(values.excludeTools) })
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

const milliseconds = ([...texts]: ReadonlyArray<string>): Either.Either<number, UsageError> => {
  const value = Number(texts.at(-1))
  return Number.isInteger(value) && value > 0
    ? Either.right(value)
    : Either.left(usageError(`--timeout cannot be "${texts.at(-1)}"`, "Write a number of milliseconds."))
}

/** Split at the first separator: a value may hold more of them. */
const pairs = (
  given: ReadonlyArray<string> | undefined,
  separator: string,
  option: string
): Either.Either<Readonly<Record<string, string>> | undefined, UsageError> => {
  if (given === undefined) return Either.right(undefined)
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
