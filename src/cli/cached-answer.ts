/**
 * `--cache`: the same question over the same files is answered from what was kept, before anything of a model is loaded. The
 * question is everything that is known before the first request: prompt, options, settings, variables and context.
 */
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { DateTime, Effect } from "effect"
import { type CacheLookup, keep, keyOf, lookUp, sealOf } from "../cache/answer-cache.ts"
import { RunTrace, SHELL } from "../cache/run-trace.ts"
import type { LoadedConfig } from "../config/load.ts"
import { includeDirectories } from "../config/workspace-roots.ts"
import { oneLine } from "../kernel/one-line.ts"
import { Stderr } from "../output/stderr.ts"
import { Policy } from "../policy/policy.ts"
import { ContextFiles } from "../prompt/context-files.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { ApprovalMode, Trust } from "../protocol/modes.ts"
import type { GivenPrompt } from "./given-prompt.ts"
import type { PromptProgram } from "./program/read-program.ts"
import type { RunOptions } from "./run-options.ts"

export interface AnswerCacheInput {
  readonly config: LoadedConfig
  readonly options: RunOptions
  readonly program?: PromptProgram | undefined
}

/** What was decided of the run, as far as it may change the answer. */
export interface AnswerPlan {
  readonly model: string
  readonly approvalMode: ApprovalMode
  readonly trust: Trust
  readonly thinking: unknown
  readonly bare: boolean
}

export interface Caching {
  readonly lookup: CacheLookup
  readonly onEvent: (event: ProtocolEvent) => Effect.Effect<void, never, Policy>
  /** Once the run has succeeded. */
  readonly keep: Effect.Effect<void, never, ContextFiles | Stderr>
}

export const beginCaching = Effect.fn("App.beginCaching")(function* (
  input: AnswerCacheInput,
  plan: AnswerPlan,
  given: GivenPrompt
) {
  const { config, options } = input
  const stderr = yield* Stderr
  const say = (text: string) =>
    options.verbose || options.debug ? stderr.notice(`[INFO] cache: ${text}`) : Effect.void
  const folder = folderOf(input)
  const contextNames = config.settings.get("context.fileName") ?? ["GEMINI.md"]
  const { cwd } = config.environment
  const trace = new RunTrace({ cwd, contextNames })
  for (const path of placesOf(input, contextNames)) trace.reads(path)
  for (const path of treesOf(input)) trace.readsTree(path)
  for (const path of referencesIn(given.typed)) trace.readsTree(path)
  const key = keyOf(questionOf(input, plan, given))
  const seal = sealOf(config.storage.userDir, config.environment.get("GEMINI_CACHE_KEY"), {
    makesOne: !options.ephemeral
  })
  const lookup = lookUp({ folder, seal }, key)
  yield* say(lookup._tag === "Hit" ? `answered from ${folder}/${key}.json` : lookup.why)
  const kept = yield* DateTime.now

  const caching: Caching = {
    lookup,
    onEvent: (event) => Effect.map(readsOnly(event), (reads) => trace.see(event, reads)),
    keep: Effect.gen(function* () {
      if (seal === undefined) return yield* stderr.notice(`[INFO] --cache: the answer is not kept: ${NO_SEAL}`)
      const { files } = yield* ContextFiles
      for (const { imported, path } of yield* files) for (const file of [path, ...imported]) trace.reads(file)
      const marks = trace.against === undefined ? trace.marks() : undefined
      if (marks === undefined) {
        const why = trace.against ?? "there are too many or too large files to keep an eye on"
        return yield* stderr.notice(`[INFO] --cache: the answer is not kept: ${why}`)
      }
      const changed = marks.find((mark) => mark.kind === "file" && mark.mtime > DateTime.toEpochMillis(kept))
      if (changed !== undefined) {
        return yield* stderr.notice(`[INFO] --cache: the answer is not kept: ${changed.path} changed meanwhile`)
      }
      const answer = {
        key,
        kept: DateTime.formatIso(kept),
        prompt: oneLine(given.typed, PROMPT_LENGTH),
        model: plan.model,
        cwd,
        files: marks,
        events: trace.events
      }
      yield* Effect.catchAll(keep(folder, seal, answer), ({ message }) =>
        stderr.notice(`[WARNING] --cache: the answer is not kept: ${message}`)
      )
    })
  }
  return caching
})

const PROMPT_LENGTH = 200
const NO_SEAL = "there is nothing to seal it with; set GEMINI_CACHE_KEY to a secret of yours"

const folderOf = ({ config, options }: AnswerCacheInput): string =>
  typeof options.cache === "string" && options.cache !== ""
    ? resolve(config.environment.cwd, options.cache)
    : join(config.storage.userDir, "cache")

/** Of a command, whether the policy knows that it only reads. */
const readsOnly = (event: ProtocolEvent): Effect.Effect<boolean, never, Policy> => {
  const call = event._tag === "Subagent" ? event.event : event
  if (call._tag !== "ToolFinished" || call.name !== SHELL) return Effect.succeed(false)
  return Effect.flatMap(Policy, (policy) =>
    Effect.map(
      policy.decide({ name: SHELL, args: call.args ?? {}, kind: "execute" }),
      ({ isReading }) => isReading === true && call.args?.is_background !== true
    )
  )
}

/** What these say is how an answer is shown, told or limited; all others may change it. */
const NOT_ASKED: ReadonlySet<keyof RunOptions> = new Set<keyof RunOptions>([
  ...([
    "cache",
    "verbose",
    "quiet",
    "noProgress",
    "debug",
    "profile",
    "outputFormat",
    "events",
    "lastMessageFile"
  ] as const),
  ...(["prompt", "words", "cwd", "worktree", "stdinTimeout", "code", "rawOutput", "acceptRawOutputRisk"] as const),
  ...(["screenReader", "sessionId", "tier", "telemetry", "telemetryTarget", "telemetryOtlpEndpoint"] as const),
  ...([
    "telemetryOtlpProtocol",
    "telemetryLogPrompts",
    "telemetryOutfile",
    "apiKey",
    "failOnDenied",
    "onQuota"
  ] as const),
  ...(["maxTurns", "maxTime", "maxToolCalls", "maxTokens", "maxCost", "ephemeral", "record", "replayGaps"] as const)
])

const questionOf = ({ config, options, program }: AnswerCacheInput, plan: AnswerPlan, given: GivenPrompt) => {
  const asked = Object.entries(options)
    .filter(([name, value]) => !NOT_ASKED.has(name as keyof RunOptions) && value !== undefined && value !== false)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const variables = Object.entries(config.environment.variables)
    .filter(([name]) => isAsked(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    prompt: given,
    program: program === undefined ? undefined : { ...program, values: [...program.values] },
    asked,
    variables,
    plan: [plan.model, plan.approvalMode, plan.trust, plan.thinking, plan.bare],
    cwd: config.environment.cwd,
    platform: config.environment.platform
  }
}

/** Of ours, those that say something about the answer: not where the model is reached, never a credential. */
const isAsked = (name: string): boolean =>
  name.startsWith("GEMINI_") &&
  !/KEY|TOKEN|SECRET|PASSWORD|_PID$|SESSION/.test(name) &&
  !/^GEMINI_(?:CACHE|VERBOSE|QUIET|NO_PROGRESS|DEBUG|TIER|RECORD|EVENTS|MAX_|CLI_NO_RELAUNCH)/.test(name)

/** Settings, the instruction, and context files where they are or could be. */
const placesOf = ({ config }: AnswerCacheInput, contextNames: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { cwd, get, home } = config.environment
  const above: Array<string> = []
  for (let folder = cwd; ; folder = dirname(folder)) {
    above.push(...[...contextNames, ".geminiignore", ".gitignore"].map((name) => join(folder, name)))
    if (dirname(folder) === folder) break
  }
  const instruction = get("GEMINI_SYSTEM_MD") ?? ""
  const memory = config.storage.plannedProjectTempDir()
  return [
    ...config.files.map(({ file }) => file),
    config.storage.mcpSettingsFile,
    join(cwd, ".env"),
    join(cwd, ".gemini/.env"),
    ...(home === undefined ? [] : [join(home, ".env"), join(home, ".gemini/.env")]),
    ...(instruction === "" ? [] : [/^(?:1|true)$/i.test(instruction) ? ".gemini/system.md" : homePath(instruction)]),
    ...contextNames.map((name) => join(config.storage.userDir, name)),
    ...above,
    ...(memory === undefined ? [] : [join(memory, "memory/MEMORY.md")])
  ]
}

const homePath = (path: string): string => (path.startsWith("~/") ? join(homedir(), path.slice(2)) : path)

/** Folders whose parts have a say. */
const PARTS = ["extensions", "skills", "agents", "commands", "policies"]

const treesOf = ({ config, options }: AnswerCacheInput): ReadonlyArray<string> => [
  ...[config.storage.userDir, config.storage.projectDir].flatMap((folder) => PARTS.map((name) => join(folder, name))),
  config.storage.sharedSkillsDir,
  ...(options.file ?? []).filter((file) => file !== "-"),
  ...(options.policy ?? []),
  ...(options.program?.policy ?? []),
  ...(options.allFiles ? [config.environment.cwd, ...includeDirectories(config, options.includeDirectories ?? [])] : [])
]

/** Files that the prompt may name; what is none is watched as a place where nothing is. */
const referencesIn = (prompt: string): ReadonlyArray<string> =>
  [...prompt.matchAll(/@(?:\{([^}]+)\}|"([^"]+)"|((?:\\.|[^\s,;!?()[\]{}"'`])+))/g)].flatMap(
    ([, braced, quoted, plain]) => {
      const path = braced ?? quoted ?? plain?.replace(/\\(.)/g, "$1") ?? ""
      return path === "" ? [] : [path, path.replace(/[.:]+$/, "")]
    }
  )
