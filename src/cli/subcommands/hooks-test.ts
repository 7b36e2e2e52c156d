/** `gemini hooks test`: each hook of an event reads a sample; what it answered and what the agent would do is shown. */
import { tmpdir } from "node:os"
import { DateTime, Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { variableRedaction } from "../../config/variable-redaction.ts"
import { consequenceOf } from "../../hooks/consequence.ts"
import type { FoundHooks } from "../../hooks/find-hooks.ts"
import { type Hook, placeOf, shownName } from "../../hooks/hook.ts"
import type { HookEvent } from "../../hooks/hook-event.ts"
import { makeRunner, type Ran } from "../../hooks/hook-runner.ts"
import { planHooks } from "../../hooks/matching.ts"
import { type Sample, sampleFor, sampleInput } from "../../hooks/sample-input.ts"
import { CliContext } from "../cli-context.ts"
import { jsonDocument } from "./command-output.ts"

interface TrialInput {
  readonly config: LoadedConfig
  readonly event: HookEvent
  readonly found: FoundHooks
  /** The tool of the sample call; absent: one that the hook's matcher means. */
  readonly tool: string | undefined
  /** Laid over the fields of the sample. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly json: boolean
}

interface Trial {
  readonly ran: Ran
  readonly sample: Sample
}

/** False when something is wrong: a hook that failed, one that is not confirmed, or none at all. */
export const tryHooks = Effect.fnUntraced(function* ({ config, event, fields, found, json, tool }: TrialInput) {
  const context = yield* CliContext
  const disabled = new Set(config.settings.get("hooksConfig.disabled"))
  const meant = found.hooks.filter((hook) => isMeant(hook, { disabled, event, tool }))
  const waiting = found.pending.filter((hook) => hook.event === event)
  const trials = yield* Effect.scoped(runAll(meant, config, { tool, fields }))
  yield* Effect.forEach(
    waiting,
    (hook) =>
      context.writeError(
        `[WARNING] ${shownName(hook)} is not confirmed and was not run: start gemini here, or add --skip-trust\n`
      ),
    { discard: true }
  )
  if (trials.length === 0)
    yield* context.writeError(`No hook runs at ${event}${tool === undefined ? "" : ` for ${tool}`}.\n`)
  yield* context.write(json ? jsonDocument(trials.map(trialDocument)) : trials.map(trialText).join("\n"))
  return trials.length > 0 && waiting.length === 0 && trials.every(({ ran }) => ran.result.trouble === undefined)
})

const isMeant = (
  hook: Hook,
  {
    disabled,
    event,
    tool
  }: { readonly event: HookEvent; readonly disabled: ReadonlySet<string>; readonly tool: string | undefined }
): boolean =>
  planHooks([hook], {
    event,
    disabled,
    target: tool === undefined ? { _tag: "Any" } : { _tag: "Tool", names: [tool] }
  }).hooks.length > 0

const runAll = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<Hook>,
  { environment, settings }: LoadedConfig,
  { fields, tool }: Pick<TrialInput, "tool" | "fields">
) {
  const run = { cwd: environment.cwd, sessionId: "hooks-test" }
  const runner = yield* makeRunner({
    ...run,
    plansDir: tmpdir(),
    variables: environment.variables,
    redaction: variableRedaction(settings),
    platform: environment.platform,
    secrets: Effect.succeed([])
  })
  const timestamp = DateTime.formatIso(yield* DateTime.now)
  return yield* Effect.forEach(hooks, (hook) => {
    const made = sampleFor(hook, tool)
    const sample: Sample = { ...made, fields: { ...made.fields, ...fields } }
    return Effect.map(runner(hook, sampleInput(hook, sample, { ...run, timestamp })), (ran): Trial => ({ ran, sample }))
  })
})

const trialText = ({ ran: { hook, result, run }, sample }: Trial): string => {
  const { end } = run
  const written = "stdout" in end ? [...labelled("stdout", end.stdout), ...labelled("stderr", end.stderr)] : []
  return [
    `${shownName(hook)} (${hook.source.scope}, ${placeOf(hook.source)})`,
    ...(sample.subject === undefined ? [] : [`  sample: ${sample.subject}`]),
    `  ended:  ${endText(end)} after ${run.durationMs} ms`,
    ...written,
    ...(result.trouble === undefined ? [] : [`  wrong:  ${result.trouble}`]),
    ...(result.output?.systemMessage === undefined ? [] : [`  says:   ${result.output.systemMessage}`]),
    `  agent:  ${consequenceOf(hook.event, result.output ?? {}, sample.fields)}`,
    ""
  ].join("\n")
}

const trialDocument = ({ ran: { hook, result, run }, sample }: Trial) => ({
  name: hook.name,
  command: hook.command,
  event: hook.event,
  source: hook.source.scope,
  file: hook.source.file,
  line: hook.source.line,
  sample: sample.subject,
  input: sample.fields,
  end: endText(run.end),
  exit_code: run.end._tag === "Exited" ? run.end.code : undefined,
  stdout: "stdout" in run.end ? run.end.stdout : undefined,
  stderr: "stderr" in run.end ? run.end.stderr : undefined,
  duration_ms: run.durationMs,
  succeeded: result.succeeded,
  trouble: result.trouble,
  output: result.output,
  agent: consequenceOf(hook.event, result.output ?? {}, sample.fields)
})

const endText = (end: Ran["run"]["end"]): string => {
  switch (end._tag) {
    case "Exited":
      return `exit code ${end.code}`
    case "Signalled":
      return `by ${end.signal}`
    case "TimedOut":
      return `by force, at its limit of ${end.limitMs} ms`
    case "NotStarted":
    case "Changed":
      return "before it began"
  }
}

/** Enough to see what went wrong. */
const SHOWN_CHARS = 2_000

const labelled = (name: string, text: string): ReadonlyArray<string> => {
  const trimmed = text.trim()
  const shown = trimmed.length > SHOWN_CHARS ? `${trimmed.slice(0, SHOWN_CHARS)}... (cut)` : trimmed
  return shown === "" ? [] : [`  ${name}: ${shown.replaceAll("\n", "\n          ")}`]
}
