/** A policy whose changes of the approval mode are recorded, with the time that each mode was on. */
import { Effect } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { log, record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { Policy } from "./policy.ts"

export const observeMode = <P extends Policy["Type"]>(policy: P) =>
  Effect.gen(function* () {
    const to = yield* Telemetry
    let since = yield* monotonicMillis

    const reportDuration = (mode: ApprovalMode) =>
      Effect.flatMap(monotonicMillis, (now) => {
        const duration = log("gemini_cli.plan.approval_mode_duration", `Approval mode ${mode} was on.`, {
          mode,
          duration_ms: now - since
        })
        since = now
        return record(to, [duration])
      })

    yield* Effect.addFinalizer(() => Effect.flatMap(policy.mode, reportDuration))
    return {
      ...policy,
      setMode: Effect.fnUntraced(function* (next: ApprovalMode) {
        const before = yield* policy.mode
        yield* policy.setMode(next)
        if (next === before) return
        yield* reportDuration(before)
        yield* record(to, [
          log("gemini_cli.plan.approval_mode_switch", `Approval mode: ${before} to ${next}.`, {
            from_mode: before,
            to_mode: next
          })
        ])
      })
    }
  })
