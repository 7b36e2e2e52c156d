/** Starts the program of a hook with everything it is given, and reads how it ended. Runs of the agent and trials share it. */
import { Effect, Ref, type Scope } from "effect"
import { interpolateText } from "../config/interpolate.ts"
import type { Places } from "../config/programs/run-files.ts"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import type { Sandbox } from "../sandbox/sandbox.ts"
import { sanitizedEnvironment } from "../shell/child-environment.ts"
import { type ChildVariables, withVariables } from "../system/child-variables.ts"
import type { RedactionRules } from "../system/environment-redaction.ts"
import { endMarked } from "../system/process-tree.ts"
import { hookFingerprint } from "./find-hooks.ts"
import type { Hook } from "./hook.ts"
import type { HookInput } from "./hook-input.ts"
import { type HookResult, resultOf } from "./result.ts"
import { type HookRun, runHook } from "./run-hook.ts"

export interface RunnerOptions extends HookSurroundings {
  readonly platform: NodeJS.Platform
  /** Stands around the hooks of the project; those of the user are theirs. */
  readonly sandbox?: Sandbox["Type"]
  /** Credentials that no program gets to read; asked for at the first hook. */
  readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
}

/** A hook that ran. */
export interface Ran {
  readonly hook: Hook
  /** The JSON document that it read. */
  readonly input: string
  readonly run: HookRun
  readonly result: HookResult
}

/** The files of the project may be written by the model: what was accepted is looked at before every run. */
const isChanged = (hook: Hook, { cwd }: HookSurroundings): boolean =>
  hook.accepted !== undefined && hookFingerprint(hook, cwd) !== hook.accepted

const NOT_RUN: HookRun = { end: { _tag: "Changed" }, durationMs: 0, leftNothing: true }

const LEFTOVER_GRACE = "1 second"

/** The environment of a hook's program: ours without credentials, the places of the session, and what the hook adds. */
interface HookSurroundings {
  readonly variables: Readonly<Record<string, string>>
  readonly redaction: RedactionRules
  readonly cwd: string
  readonly plansDir: string
  readonly sessionId: string
}

/** Also put into the text of the command. */
const placesOf = ({ cwd, plansDir, sessionId }: HookSurroundings): Places => ({
  GEMINI_PROJECT_DIR: cwd,
  GEMINI_CWD: cwd,
  GEMINI_PLANS_DIR: plansDir,
  GEMINI_SESSION_ID: sessionId,
  CLAUDE_PROJECT_DIR: cwd
})

/** What the person wrote into `env` may hold any variable of theirs: that is a wish, and it is not filtered. */
const hookEnvironment = (hook: Hook, around: HookSurroundings): ChildVariables => {
  const lookup = (name: string) => (Object.hasOwn(around.variables, name) ? around.variables[name] : undefined)
  return withVariables(sanitizedEnvironment(around.variables, around.redaction), {
    ...placesOf(around),
    ...hook.given,
    ...Object.fromEntries(Object.entries(hook.env).map(([name, value]) => [name, interpolateText(value, lookup)]))
  })
}

/**
 * The text of a hook's command, ready for the shell. Names of places are put in where the shell would split them at
 * spaces; inside quotation marks it does not, and they stay for it to expand.
 */
export const commandText = (command: string, places: Places): string => {
  let result = ""
  let quote: '"' | "'" | undefined
  for (let index = 0; index < command.length; index++) {
    const char = command.charAt(index)
    if (char === "\\" && quote !== "'") {
      result += command.slice(index, index + 2)
      index++
      continue
    }
    if ((char === '"' || char === "'") && (quote === undefined || quote === char)) {
      quote = quote === undefined ? char : undefined
    }
    const name = char === "$" && quote === undefined ? referenceAt(command, index, places) : undefined
    if (name === undefined) result += char
    else {
      result += quoted(places[name.variable] ?? "")
      index += name.length - 1
    }
  }
  return result
}

const referenceAt = (command: string, index: number, places: Places) => {
  const found = /^\$(?:(\w+)|\{(\w+)\})/.exec(command.slice(index, index + 80))
  const variable = found?.[1] ?? found?.[2]
  return found === null || variable === undefined || !Object.hasOwn(places, variable)
    ? undefined
    : { variable, length: found[0].length }
}

/** Plain paths stay as they are, so that a message about the command reads as it was written. */
const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`

/** Processes that hooks left behind, and that even left their groups, end with the scope. */
export const makeRunner = Effect.fnUntraced(function* (
  options: RunnerOptions
): Effect.fn.Return<(hook: Hook, input: HookInput) => Effect.Effect<Ran>, never, Scope.Scope> {
  const clean = yield* Effect.cached(Effect.map(options.secrets, redactionOf))
  // Each run has a mark of its own: ending one must not end another beside it.
  const marks = `hooks-${crypto.randomUUID()}-`
  const runs = yield* Ref.make(0)
  // Looking for what is left takes longer than a hook: only where something may be.
  const untidy = yield* Ref.make(0)
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Ref.get(untidy), (count) => (count > 0 ? endMarked(marks, LEFTOVER_GRACE) : Effect.void))
  )
  return Effect.fnUntraced(function* (hook, given) {
    const input = (yield* clean)(JSON.stringify(given))
    if (isChanged(hook, options)) return { hook, input, run: NOT_RUN, result: resultOf(NOT_RUN.end, hook) }
    const number = yield* Ref.updateAndGet(runs, (count) => count + 1)
    yield* Ref.update(untidy, (count) => count + 1)
    const run = yield* runHook({
      command: commandText(hook.command, placesOf(options)),
      input,
      cwd: options.cwd,
      env: hookEnvironment(hook, options),
      platform: options.platform,
      sandbox: hook.accepted === undefined ? undefined : options.sandbox,
      timeoutMs: hook.timeoutMs,
      mark: `${marks}${number}`
    })
    if (run.leftNothing) yield* Ref.update(untidy, (count) => count - 1)
    return { hook, input, run, result: resultOf(run.end, hook) } satisfies Ran
  })
})
