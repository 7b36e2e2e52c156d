/**
 * The approval mode as tools see it, and the folder where plans are written while the mode is `plan`.
 *
 * In plan mode a file tool may write plans and nothing else; `planPath` is that rule.
 */
import { isAbsolute, join, resolve } from "node:path"
import { Context, Effect, Layer, Ref } from "effect"
import { isInside } from "../files/containment.ts"
import type { ApprovalMode } from "../protocol/modes.ts"

export class PlanMode extends Context.Tag("agent/tools/PlanMode")<
  PlanMode,
  {
    readonly mode: Effect.Effect<ApprovalMode>
    readonly setMode: (mode: ApprovalMode) => Effect.Effect<void>
    /** Absolute; made when plan mode is entered. */
    readonly plansDir: string
    /** The plan file that a person agreed to; `null` before that. */
    readonly approvedPlan: Effect.Effect<string | null>
    readonly approvePlan: (path: string) => Effect.Effect<void>
  }
>() {}

export const layer = (options: { readonly initialMode: ApprovalMode; readonly plansDir: string }) =>
  Layer.effect(
    PlanMode,
    Effect.gen(function* () {
      const mode = yield* Ref.make(options.initialMode)
      const approvedPlan = yield* Ref.make<string | null>(null)
      return PlanMode.of({
        mode: Ref.get(mode),
        setMode: (next) => Ref.set(mode, next),
        plansDir: options.plansDir,
        approvedPlan: Ref.get(approvedPlan),
        approvePlan: (path) => Ref.set(approvedPlan, path)
      })
    })
  )

/** The absolute path of a plan, however the model named it; `null` when it lies outside the folder of plans. */
export const planPath = (
  name: string,
  folders: { readonly plansDir: string; readonly projectRoot: string }
): string | null => {
  const candidates = isAbsolute(name)
    ? [resolve(name)]
    : [resolve(folders.projectRoot, name), resolve(join(folders.plansDir, name))]
  return candidates.find((path) => path !== folders.plansDir && isInside(folders.plansDir, path)) ?? null
}
