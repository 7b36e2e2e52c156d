/**
 * The options of a run as one immutable, typed value. Numbers, times and ids are decoded here, and combinations that
 * contradict each other are refused. Only what the command line says: settings and variables are joined elsewhere.
 */
import { Duration, Either, flow, Option, ParseResult, Schema } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { durationFromText } from "../kernel/duration-text.ts"
import { SessionId } from "../protocol/ids.ts"
import { ApprovalMode, ExtraEvent, OnMiss, OutputFormat } from "../protocol/modes.ts"
import { TierWish } from "../protocol/usage.ts"
import type { ParsedArgv } from "./parse-argv.ts"
import { Count, Dollars, QuotaOption, Thinking, TIME_HINT, TimeLimit, Wait } from "./run-values.ts"
import { type UsageError, usageError } from "./usage-error.ts"

const flag = Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false })
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const text = maybe(Schema.String)
const list = maybe(Schema.Array(Schema.String))

export const RunOptions = Schema.Struct({
  words: Schema.Array(Schema.String),
  /** Given but empty is not the same as not given: it asks for a headless run. */
  prompt: text,
  promptInteractive: text,
  stdinTimeout: maybe(Wait),
  inputFormat: maybe(Schema.Literal("text", "stream-json")),
  strictInput: flag,
  permissionPrompts: maybe(Schema.Literal("none", "stream")),
  permissionTimeout: maybe(TimeLimit),
  /** Attachments; `-` is standard input. */
  file: list,
  /** A text, or `@` and a file; the text alone once `readNamedTexts` has seen it. */
  systemPrompt: text,
  appendSystemPrompt: list,
  allFiles: flag,
  /** Trimmed; a blank name counts as not given. */
  model: Schema.optionalToOptional(Schema.String, Schema.String, {
    decode: flow(
      Option.map((typed) => typed.trim()),
      Option.filter((typed) => typed !== "")
    ),
    encode: (model) => model
  }),
  thinking: maybe(Thinking),
  tier: maybe(TierWish),
  outputFormat: maybe(OutputFormat),
  outputSchema: text,
  lastMessageFile: text,
  events: text,
  code: flag,
  estimate: flag,
  /** A text names the folder. */
  cache: maybe(Schema.Union(Schema.Boolean, Schema.String)),
  rawOutput: flag,
  acceptRawOutputRisk: flag,
  quiet: flag,
  verbose: flag,
  noProgress: flag,
  screenReader: maybe(Schema.Boolean),
  /** `--yolo` is already folded in. */
  approvalMode: maybe(ApprovalMode),
  policy: list,
  adminPolicy: list,
  allowedTools: list,
  tools: list,
  noTools: flag,
  excludeTools: list,
  skipTrust: flag,
  /** A text names the kind of sandbox. */
  sandbox: maybe(Schema.Union(Schema.Boolean, Schema.String)),
  failOnDenied: flag,
  maxTurns: maybe(Count),
  maxTime: maybe(TimeLimit),
  maxToolCalls: maybe(Count),
  maxTokens: maybe(Count),
  maxCost: maybe(Dollars),
  onQuota: maybe(QuotaOption),
  cwd: text,
  includeDirectories: list,
  ignoreEnv: flag,
  bare: flag,
  /** JSON, or a file; always JSON once `readNamedTexts` has seen it, as are those of `mcpConfig`. */
  settings: text,
  /** Empty: a name is to be made up. */
  worktree: text,
  /** `latest`, a number of the list, or an id. */
  resume: Schema.optionalToOptional(Schema.String, Schema.String, {
    decode: Option.map((typed) => (typed.trim() === "" ? "latest" : typed.trim())),
    encode: (session) => session
  }),
  /** `--resume` of the last conversation. */
  continue: flag,
  fork: flag,
  sessionId: maybe(SessionId),
  sessionFile: text,
  ephemeral: flag,
  listSessions: flag,
  deleteSession: text,
  extensions: list,
  listExtensions: flag,
  allowedMcpServerNames: list,
  mcpConfig: list,
  strictMcpConfig: flag,
  acp: flag,
  ideMode: flag,
  record: text,
  replay: text,
  onMiss: maybe(OnMiss),
  replayTools: flag,
  replayGaps: flag,
  fakeResponses: text,
  fakeResponsesNonStrict: text,
  recordResponses: text,
  demo: flag,
  apiKey: text,
  debug: flag,
  /** Tell of the start once the run has ended. */
  profile: flag,
  telemetry: maybe(Schema.Boolean),
  telemetryTarget: text,
  telemetryOtlpEndpoint: text,
  telemetryOtlpProtocol: text,
  telemetryLogPrompts: maybe(Schema.Boolean),
  telemetryOutfile: text
})
export type RunOptions = typeof RunOptions.Type & {
  /** The servers of `mcpConfig`, by name; there once `readNamedTexts` has read them. */
  readonly givenServers?: Readonly<Record<string, McpServer>>
  /** `gemini run`: what a file asks for and may not give itself. */
  readonly program?: ProgramWishes
}

export interface ProgramWishes {
  /** Its real place. */
  readonly file: string
  /** As it was named. */
  readonly shown: string
  /** There are commands of its own in it. */
  readonly hasCommands: boolean
  readonly approvalMode: ApprovalMode | undefined
  /** Absolute paths. */
  readonly policy: ReadonlyArray<string>
  readonly limits: ProgramLimits
}

/** In the words of `RunOptions`. */
export interface ProgramLimits {
  readonly maxTurns?: number
  readonly maxTime?: Duration.Duration
  readonly maxToolCalls?: number
  readonly maxTokens?: number
  readonly maxCost?: number
}

/** Of the events that not everybody wants, those that this run tells. */
export const extraEventsOf = (
  { verbose }: Pick<RunOptions, "verbose">,
  setting: ReadonlyArray<ExtraEvent>
): ReadonlyArray<ExtraEvent> => (verbose ? ExtraEvent.literals : setting)

export const decodeRunOptions = (parsed: ParsedArgv): Either.Either<RunOptions, UsageError> => {
  const conflict = findConflict(parsed)
  if (conflict !== undefined) return Either.left(conflict)
  const mode = parsed.options.yolo === true ? { approvalMode: "yolo" } : {}
  return Either.mapLeft(decode({ ...mode, ...parsed.options, words: parsed.words }), (error) =>
    invalidValue(error, parsed)
  )
}

/** Flag, else the text of `GEMINI_STDIN_TIMEOUT`, else the setting. Zero means no limit. */
export const stdinTimeoutOf = (
  options: Pick<RunOptions, "stdinTimeout">,
  variable: string | undefined,
  setting: string
): Either.Either<Duration.Duration, UsageError> => {
  const wait = Option.fromNullable(options.stdinTimeout).pipe(
    Option.orElse(() => durationFromText(variable ?? setting))
  )
  return Option.match(wait, {
    onNone: () => Either.left(usageError(`GEMINI_STDIN_TIMEOUT cannot be "${variable}"`, TIME_HINT)),
    onSome: (limit) => Either.right(Duration.equals(limit, Duration.zero) ? Duration.infinity : limit)
  })
}

const decode = (input: unknown) => Schema.decodeUnknownEither(RunOptions)(input)

const invalidValue = (error: ParseResult.ParseError, parsed: ParsedArgv): UsageError => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const property = String(issue?.path[0])
  return usageError(`--${kebabOf(property)} cannot be "${parsed.options[property]}"`, issue?.message)
}

const kebabOf = (property: string): string => property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const PAIRS: ReadonlyArray<readonly [string, string, string]> = [
  ["prompt", "promptInteractive", "Use -p to exit after the answer, -i to go on."],
  ["yolo", "approvalMode", "Use --approval-mode=yolo alone."],
  ["record", "replay", "--replay FILE --on-miss record adds what is missing."],
  ["quiet", "verbose", "Use one of them."],
  ["tools", "noTools", "--no-tools alone offers none."]
]

/** What they do has no prompt, so one that was given would be lost without a word. */
const WITHOUT_PROMPT: Readonly<Record<string, string>> = {
  acp: "gets its prompts from the editor",
  listSessions: "lists and asks nothing",
  listExtensions: "lists and asks nothing",
  deleteSession: "deletes and asks nothing"
}
const OF_PROMPTS = [
  "prompt",
  "promptInteractive",
  "file",
  "estimate",
  "outputSchema",
  "lastMessageFile",
  "code",
  "events"
]

const findConflict = ({ options, words }: ParsedArgv): UsageError | undefined => {
  const given = (...properties: ReadonlyArray<string>) =>
    properties.filter((property) => options[property] !== undefined && options[property] !== false)
  if (given("prompt").length > 0 && words.length > 0) {
    return usageError(
      `A prompt was given twice: by --prompt and by the words "${words.join(" ")}"`,
      "Put the whole prompt after -p, in quotes."
    )
  }
  if (given("promptInteractive").length > 0 && words.length > 0) {
    return usageError(
      `A prompt was given twice: by --prompt-interactive and by the words "${words.join(" ")}"`,
      "Put the whole prompt after -i, in quotes."
    )
  }
  if (typeof options.apiKey === "string" && options.apiKey.trim() === "") {
    return usageError("--api-key is empty", "Leave it out, or set GEMINI_API_KEY.")
  }
  if (options.cwd === "") return usageError("--cwd is empty", "Name a folder; a variable that is not set names none.")
  const pair = PAIRS.find(([one, other]) => given(one, other).length > 1)
  if (pair !== undefined)
    return usageError(`--${kebabOf(pair[0])} and --${kebabOf(pair[1])} exclude each other`, pair[2])
  const [alone, second] = given(...Object.keys(WITHOUT_PROMPT))
  const lost = second ?? given(...OF_PROMPTS)[0]
  if (alone !== undefined && (lost !== undefined || words.length > 0)) {
    const other = lost === undefined ? "a prompt in words" : `--${kebabOf(lost)}`
    const why = `--${kebabOf(alone)} ${WITHOUT_PROMPT[alone]}`
    return usageError(`${why}, so it cannot go with ${other}`, "Leave one of them out.")
  }
  if (given("permissionTimeout").length > 0 && options.permissionPrompts !== "stream") {
    return usageError("--permission-timeout needs --permission-prompts stream", "Without it nobody is asked.")
  }
  const chosen = given("resume", "sessionId", "sessionFile")
  if (chosen.length > 1) {
    return usageError("--resume, --session-id and --session-file exclude each other", "Use one of them.")
  }
  if (given("continue").length > 0 && chosen[0] !== undefined) {
    return usageError(
      `--continue goes on with the last conversation, so it cannot go with --${kebabOf(chosen[0])}`,
      "Use one of them."
    )
  }
  if (given("fork").length > 0 && given("resume", "continue").length === 0) {
    return usageError("--fork needs --resume", "Name the session to copy, such as --resume latest --fork.")
  }
  const canned = given("replay", "fakeResponses", "fakeResponsesNonStrict", "demo")
  if (canned.length > 1) {
    return usageError(
      `${canned.map((name) => `--${kebabOf(name)}`).join(" and ")} exclude each other`,
      "Answers come from one place."
    )
  }
  const ofReplay = given("onMiss", "replayTools", "replayGaps")[0]
  if (ofReplay !== undefined && given("replay").length === 0) {
    return usageError(`--${kebabOf(ofReplay)} needs --replay`, "Name the cassette: --replay FILE.")
  }
  if (options.inputFormat === "stream-json") {
    const other = given(
      "prompt",
      "promptInteractive",
      "file",
      "code",
      "outputSchema",
      "lastMessageFile",
      "estimate",
      "events"
    )[0]
    if (other !== undefined) {
      return usageError(
        `--input-format stream-json reads its prompts from standard input, so it cannot go with --${kebabOf(other)}`,
        "Leave one of them out."
      )
    }
    if (words.length > 0)
      return usageError("--input-format stream-json takes no prompt in words", "Write it on standard input.")
  } else if (given("strictInput").length > 0 || options.permissionPrompts === "stream") {
    return usageError("--strict-input and --permission-prompts stream need --input-format stream-json", "Add it.")
  }
  if (given("promptInteractive", "file").length > 1) {
    return usageError("--file goes with one prompt, not with --prompt-interactive", "Write @path in the conversation.")
  }
  const session = given("resume", "continue", "sessionId", "sessionFile")[0]
  if (given("ephemeral").length > 0 && session !== undefined) {
    return usageError(
      `--ephemeral records nothing, so it cannot go with --${kebabOf(session)}`,
      "Leave one of them out."
    )
  }
  if (given("cache").length > 0) {
    const other = given(
      "promptInteractive",
      "acp",
      "estimate",
      "demo",
      "resume",
      "continue",
      "sessionFile",
      "replay"
    )[0]
    if (other !== undefined || options.inputFormat === "stream-json") {
      return usageError(
        `--cache keeps the answer to one prompt, so it cannot go with --${kebabOf(other ?? "inputFormat")}`,
        "Leave one of them out."
      )
    }
    if (given("ephemeral").length > 0 && options.cache === true) {
      return usageError("--ephemeral writes nothing under the home folder", "Name another folder: --cache=DIR.")
    }
  }
  if (given("strictMcpConfig").length > 0 && given("mcpConfig").length === 0) {
    return usageError("--strict-mcp-config needs --mcp-config", "--allowed-mcp-server-names none uses no servers.")
  }
  if (given("code").length > 0 && (given("outputSchema").length > 0 || (options.outputFormat ?? "text") !== "text")) {
    return usageError(
      "--code prints text, so it goes with neither --output-format nor --output-schema",
      "Leave one of them out."
    )
  }
  return undefined
}

/** Some options name a file in place of a text, or names that have to be looked at. */
export const hasNamedTexts = (options: RunOptions): boolean => {
  const { appendSystemPrompt, excludeTools, mcpConfig, settings, systemPrompt, tools } = options
  const given = [systemPrompt, appendSystemPrompt, mcpConfig, settings, tools, excludeTools]
  return given.some((value) => value !== undefined)
}
