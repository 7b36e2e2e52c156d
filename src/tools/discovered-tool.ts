/**
 * Tools that a command of the user's lists and another one runs (`tools.discoveryCommand`, `tools.callCommand`).
 *
 * Both commands are bounded in time and output and end with the call. What a command writes to standard error while it
 * succeeds is not a failure.
 */
import { type Duration, Effect, Either, Schema } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { variableRedaction } from "../config/variable-redaction.ts"
import { splitCommandLine } from "../kernel/command-line.ts"
import { lazy } from "../kernel/lazy.ts"
import { none, type Sandbox, type SandboxFault } from "../sandbox/sandbox.ts"
import { type ChildVariables, childVariables } from "../system/child-variables.ts"
import { type ProgramEnd, type ProgramError, type ProgramRequest, runProgram } from "../system/programs.ts"
import { fromJsonSchema, type JsonSchema } from "./gemini-schema.ts"
import { type Tool, ToolFailure } from "./tool.ts"

export interface DiscoveryOptions {
  readonly discoveryCommand: string
  readonly callCommand: string
  readonly cwd: string
  readonly env: ChildVariables
  /** Stands around both; absent: nothing does. */
  readonly sandbox?: Sandbox["Type"]
  /** What the commands run is not what it was when the tools were found. Asked before each call. */
  readonly isChanged?: () => boolean
  readonly discoveryTimeout?: Duration.DurationInput
  readonly callTimeout?: Duration.DurationInput
}

export const UNCALLED =
  "tools.discoveryCommand has no effect without tools.callCommand, which runs the tools that it names."

/** `undefined` where the settings do not name both commands. They see as much of our variables as an MCP server does. */
export const discoveryFromSettings = ({
  environment,
  settings
}: Pick<LoadedConfig, "environment" | "settings">): DiscoveryOptions | undefined => {
  const discoveryCommand = settings.get("tools.discoveryCommand")
  const callCommand = settings.get("tools.callCommand")
  if (discoveryCommand === undefined || callCommand === undefined) return undefined
  const redaction = { ...variableRedaction(settings), enabled: true }
  const env = childVariables({ inherits: environment.variables, redaction, given: { GEMINI_CLI: "1" } })
  return { discoveryCommand, callCommand, cwd: environment.cwd, env }
}

/** The discovery command gave nothing to work with. The run goes on without its tools. */
export class DiscoveryError extends Schema.TaggedError<DiscoveryError>()("DiscoveryError", {
  command: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The tool discovery command \`${this.command}\` failed: ${this.detail}. No tools were added; see tools.discoveryCommand in the settings.`
  }
}

const CHANGED =
  "Not run: what the command runs has changed since it was accepted. Start gemini anew to be asked about it."

const MAX_OUTPUT_BYTES = 10 * 1024 * 1024
const MAX_SHOWN_CHARS = 2_000

/** What a discovery command may print: a JSON array of declarations, or of objects that hold a list of them. */
interface DiscoveredDeclaration {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

const Parameters = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Declaration = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.optionalWith(Schema.String, { default: () => "" }),
  parametersJsonSchema: Schema.optional(Parameters),
  parameters: Schema.optional(Parameters)
})

const List = Schema.Array(Schema.Unknown)
const Group = Schema.Struct({
  functionDeclarations: Schema.optional(List),
  function_declarations: Schema.optional(List)
})

interface DiscoveredList {
  readonly declarations: ReadonlyArray<DiscoveredDeclaration>
  /** How many entries were not declarations. */
  readonly skipped: number
}

/** Fails when the text is not a JSON array. A wrong entry is left out and counted. */
const readDiscovered = (text: string) =>
  Effect.map(Schema.decode(Schema.parseJson(List))(text), (entries): DiscoveredList => {
    const flat = entries.flatMap(ungrouped)
    const declarations = flat.flatMap((entry) =>
      Either.match(Schema.decodeUnknownEither(Declaration)(entry), {
        onLeft: () => [],
        onRight: ({ description, name, parameters, parametersJsonSchema }) => [
          { name, description, parameters: parametersJsonSchema ?? upperTypesLowered(parameters ?? {}) }
        ]
      })
    )
    return { declarations, skipped: flat.length - declarations.length }
  })

const ungrouped = (entry: unknown): ReadonlyArray<unknown> =>
  Either.match(Schema.decodeUnknownEither(Group)(entry), {
    onLeft: () => [entry],
    onRight: (group) => group.functionDeclarations ?? group.function_declarations ?? [entry]
  })

/** The older field spells types in capitals (`STRING`), which no JSON Schema validator knows. */
const upperTypesLowered = (schema: JsonSchema): JsonSchema =>
  Schema.decodeUnknownSync(Parameters)(
    JSON.parse(JSON.stringify(schema), (key, value) =>
      key === "type" && typeof value === "string" ? value.toLowerCase() : value
    )
  )

export const discoverTools = Effect.fn("Discovery.discoverTools")(function* (options: DiscoveryOptions) {
  const fail = (detail: string) => new DiscoveryError({ command: options.discoveryCommand, detail })
  const argv = yield* wordsOf(options.discoveryCommand).pipe(Effect.mapError(fail))
  const result = yield* runConfined(options, {
    argv,
    stdin: "",
    timeout: options.discoveryTimeout ?? "30 seconds"
  }).pipe(Effect.mapError((error) => fail(error.message)))
  if (result.exitCode !== 0) {
    const said = result.stderr.trim().slice(0, MAX_SHOWN_CHARS)
    return yield* fail(`it ended with ${endOf(result)}${said === "" ? "" : ` and said: ${said}`}`)
  }
  const { declarations, skipped } = yield* readDiscovered(result.stdout).pipe(
    Effect.mapError(() => fail("it did not print a JSON array of function declarations"))
  )
  if (skipped > 0) {
    yield* Effect.logWarning("discovered entries without a valid declaration were left out").pipe(
      Effect.annotateLogs({ skipped })
    )
  }
  return declarations.map((declaration) => discoveredTool(declaration, options))
})

export const discoveredTool = (declaration: DiscoveredDeclaration, options: DiscoveryOptions): Tool => {
  const name = `discovered_tool_${declaration.name}`
  return {
    name,
    aliases: [],
    classNames: [],
    displayName: name,
    kind: "other",
    description: declaration.description,
    params: null,
    jsonSchema: fromJsonSchema(declaration.parameters),
    prepare: Effect.fn("Tool.discovered.prepare")(function* (args: unknown) {
      const { argumentCheck } = yield* lazy(() => import("./json-schema-check.live.ts"))
      const fault = argumentCheck({ type: "object", ...declaration.parameters })(args)
      if (fault !== null) return yield* new ToolFailure({ type: "invalid_tool_params", message: fault })
      const stdin = JSON.stringify(args)
      return {
        description: `${declaration.name} ${stdin.slice(0, 200)}`,
        locations: [],
        confirmation: Effect.succeed({
          type: "info" as const,
          title: `Run the discovered tool ${declaration.name}`,
          prompt: `${options.callCommand} ${declaration.name}`,
          urls: []
        }),
        run: () => callTool(declaration.name, stdin, options)
      }
    })
  }
}

const callTool = Effect.fn("Tool.discovered.run")(function* (name: string, stdin: string, options: DiscoveryOptions) {
  const fail = (message: string) => new ToolFailure({ type: "discovered_tool_execution_error", message })
  if (options.isChanged?.() === true) return yield* fail(CHANGED)
  const argv = [...(yield* wordsOf(options.callCommand).pipe(Effect.mapError(fail))), name]
  const result = yield* runConfined(options, {
    argv,
    stdin,
    timeout: options.callTimeout ?? "10 minutes"
  }).pipe(Effect.mapError((error) => fail(`Error: ${error.message}`)))
  if (result.exitCode !== 0) return yield* fail(describeFailure(result))
  return { forModel: result.stdout, display: { type: "text" as const, text: result.stdout } }
})

const runConfined = (
  options: DiscoveryOptions,
  request: Pick<ProgramRequest, "argv" | "stdin" | "timeout">
): Effect.Effect<ProgramEnd, ProgramError | SandboxFault> =>
  Effect.flatMap(
    (options.sandbox ?? none).confine({ ...options, argv: request.argv }, { access: "write" }),
    ({ argv, cwd, env }) => runProgram({ ...bounds(options), ...request, argv, cwd, env })
  )

/** Nobody knows what such a program starts: all of it ends with the call. */
const bounds = ({ cwd, env }: DiscoveryOptions): Omit<ProgramRequest, "argv" | "stdin" | "timeout"> => ({
  cwd,
  env,
  maxOutputBytes: MAX_OUTPUT_BYTES,
  reach: "tree",
  leftovers: "end",
  grace: "500 millis"
})

const wordsOf = (command: string): Effect.Effect<ReadonlyArray<string>, string> => {
  const words = splitCommandLine(command)
  if (words === null) return Effect.fail("a quote in the command is not closed")
  return words.length === 0 ? Effect.fail("the command is empty") : Effect.succeed(words)
}

const endOf = (result: ProgramEnd): string =>
  result.signal === null ? `exit code ${result.exitCode}` : `signal ${result.signal}`

const describeFailure = (result: ProgramEnd): string =>
  [
    `Stdout: ${result.stdout || "(empty)"}`,
    `Stderr: ${result.stderr || "(empty)"}`,
    "Error: (none)",
    `Exit Code: ${result.exitCode ?? "(none)"}`,
    `Signal: ${result.signal ?? "(none)"}`
  ].join("\n")
