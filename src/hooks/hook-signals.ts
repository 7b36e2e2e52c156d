/** A hook that ran, as telemetry. Pure. */
import { basename } from "node:path"
import { count, log, measure, type Signal } from "../telemetry/signal.ts"
import { type Hook, nameOf } from "./hook.ts"
import type { HookEnd, HookResult } from "./result.ts"
import type { HookRun } from "./run-hook.ts"

export interface HookFacts {
  readonly hook: Hook
  /** The JSON document that it read. */
  readonly input: string
  readonly run: HookRun
  readonly result: HookResult
  readonly logPrompts: boolean
}

export const signalsOfHook = ({ hook, input, logPrompts, result, run }: HookFacts): ReadonlyArray<Signal> => {
  const common = {
    hook_event_name: hook.event,
    hook_name: logPrompts ? nameOf(hook) : bareName(hook),
    success: result.succeeded
  }
  const written = result.output?.suppressOutput === true ? {} : writtenOf(run.end)
  return [
    log("gemini_cli.hook_call", `Hook call ${common.hook_name}. Success: ${result.succeeded}.`, {
      ...common,
      hook_type: "command",
      duration_ms: run.durationMs,
      exit_code: run.end._tag === "Exited" ? run.end.code : undefined,
      hook_input: input,
      hook_output: JSON.stringify(result.output ?? {}),
      ...written,
      error: result.trouble
    }),
    ...count("gemini_cli.hook_call.count", common),
    measure("gemini_cli.hook_call.latency", run.durationMs, common)
  ]
}

const writtenOf = (end: HookEnd) => ("stdout" in end ? { stdout: end.stdout, stderr: end.stderr } : {})

/** The program alone: paths and arguments may tell of the person. */
const bareName = ({ command, name }: Hook): string => {
  const [first = ""] = (name ?? command).trim().split(/\s+/)
  return basename(first) || "unknown-command"
}
