/**
 * Options that hold a text or name the file that holds it: read once, before anything is begun, so that a mistake is told
 * in the format of the run. Loaded only where one of them is given.
 */
import { resolve } from "node:path"
import { Either, ParseResult, Schema } from "effect"
import { McpServers } from "../config/setting-schema/mcp-server.ts"
import { closestName } from "../kernel/closest-name.ts"
import { BUILT_IN_TOOLS, canonicalName } from "../policy/tool-names.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { readRegularFile, unreadText } from "../system/regular-file.ts"
import type { RunOptions } from "./run-options.ts"
import { UsageError } from "./usage-error.ts"

export interface NamedTexts {
  readonly options: RunOptions
  /** `--settings`, with the name by which faults are told. */
  readonly given: { readonly file: string; readonly text: string } | undefined
}

const MAX_BYTES = 4 * 1024 * 1024

export const readNamedTexts = (options: RunOptions, cwd: string): Either.Either<NamedTexts, UsageError> =>
  Either.gen(function* () {
    const { appendSystemPrompt, excludeTools, mcpConfig, settings, systemPrompt, tools } = options
    yield* knownTools("--tools", tools ?? [])
    yield* knownTools("--exclude-tools", (excludeTools ?? []).map(withoutArguments))
    return {
      options: {
        ...options,
        ...(systemPrompt === undefined ? {} : { systemPrompt: yield* textOf("--system-prompt", systemPrompt, cwd) }),
        ...(appendSystemPrompt === undefined
          ? {}
          : {
              appendSystemPrompt: yield* all(appendSystemPrompt, (text) => textOf("--append-system-prompt", text, cwd))
            }),
        ...(mcpConfig === undefined
          ? {}
          : { givenServers: Object.assign({}, ...(yield* all(mcpConfig, (given) => serversOf(given, cwd)))) })
      },
      given:
        settings === undefined
          ? undefined
          : {
              file: isJson(settings) ? "--settings" : resolve(cwd, settings),
              text: yield* dataOf("--settings", settings, cwd)
            }
    }
  })

const all = <A>(texts: ReadonlyArray<string>, read: (text: string) => Either.Either<A, UsageError>) =>
  Either.all(texts.map(read))

/** `@@` begins a text with an at-sign. */
export const textOf = (option: string, given: string, cwd: string): Either.Either<string, UsageError> => {
  if (!given.startsWith("@")) return Either.right(given)
  return given.startsWith("@@") ? Either.right(given.slice(1)) : contentOf(option, given.slice(1), cwd)
}

/** JSON as it is, or what the file holds. */
const dataOf = (option: string, given: string, cwd: string): Either.Either<string, UsageError> =>
  isJson(given) ? Either.right(given) : contentOf(option, given, cwd)

/** `{"mcpServers": {…}}`, as in settings and in files of other programs, or the servers alone. */
const serversOf = (given: string, cwd: string): Either.Either<typeof McpServers.Type, UsageError> =>
  Either.flatMap(dataOf("--mcp-config", given, cwd), (text) => {
    const place = isJson(given) ? "--mcp-config" : `--mcp-config: ${given}`
    return Either.mapLeft(decodeServers(text), (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const path = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.map(String).join(".")}: `
      return inputError(`${place}: ${path}${issue?.message ?? "cannot be read"}`)
    })
  })

const decodeServers = (text: string) =>
  Either.flatMap(Schema.decodeUnknownEither(Schema.parseJson(Outer))(text), (outer) =>
    Schema.decodeUnknownEither(McpServers)(outer.mcpServers ?? outer)
  )
const Outer = Schema.Struct(
  { mcpServers: Schema.optional(Schema.Unknown) },
  { key: Schema.String, value: Schema.Unknown }
)

const isJson = (given: string): boolean => /^\s*\{/.test(given)

const contentOf = (option: string, path: string, cwd: string): Either.Either<string, UsageError> => {
  const content = readRegularFile(resolve(cwd, path), MAX_BYTES)
  if (content.kind === "text") return Either.right(content.text)
  return Either.left(inputError(`${option}: ${unreadText(path, content)}`))
}

/** `run_shell_command(rm)` narrows a rule about the tool. */
const withoutArguments = (entry: string): string => entry.replace(/\(.*$/s, "").trim()

/** A slip in a name would leave the model without the tool that was meant, or with it. Names of servers are not known yet. */
const knownTools = (option: string, names: ReadonlyArray<string>): Either.Either<void, UsageError> => {
  const unknown = names.find(
    (name) =>
      name !== "" &&
      !/^(?:mcp_|discovered_tool_)|__|\*$/.test(name) &&
      !BUILT_IN_TOOLS.includes(canonicalName(name)) &&
      !OTHERS.includes(name)
  )
  if (unknown === undefined) return Either.void
  const near = closestName(unknown, [...BUILT_IN_TOOLS, ...OTHERS])
  return Either.left(
    inputError(
      `${option}: no tool is named "${unknown}"`,
      near === undefined ? "gemini tools list shows all of them." : `Did you mean ${near}?`
    )
  )
}

const OTHERS = ["invoke_agent", "activate_skill"]

const inputError = (message: string, hint = "See gemini --help."): UsageError =>
  new UsageError({ message, hint, exitCode: ExitCode.input })
