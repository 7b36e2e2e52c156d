/**
 * The approval mode as tools see it, and the folder where plans are written while the mode is `plan`.
 *
 * In plan mode a file tool may write plans and nothing else; `planPath` is that rule.
 */
import { isAbsolute, join, resolve } from "node:path"
import { Context, Effect, Layer, Ref } from "effect"
import { RunFolders } from "../config/run-folders.ts"
import { isInside } from "../files/containment.ts"
import { service } from "../kernel/layers.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { beginIn, switchTo } from "./approval-mode.ts"
import { Policy } from "./policy.ts"

export class PlanMode extends Context.Tag("agent/policy/PlanMode")<
  PlanMode,
  {
    readonly mode: Effect.Effect<ApprovalMode>
    /** The mode that is on then: a forbidden one is not. */
    readonly setMode: (mode: ApprovalMode) => Effect.Effect<ApprovalMode>
    /** What plan mode gives way to when nobody can be asked; `plan` where it stays on. */
    readonly modeAfterPlan: Effect.Effect<ApprovalMode>
    /** Absolute; made when plan mode is entered. */
    readonly plansDir: string
    /** The plan file that a person agreed to; `null` before that. */
    readonly approvedPlan: Effect.Effect<string | null>
    readonly approvePlan: (path: string) => Effect.Effect<void>
  }
>() {}

/** The mode that tools see is the policy's own: there is one, not two. */
export const layerOfPolicy = service(
  PlanMode,
  Effect.gen(function* () {
    const policy = yield* Policy
    const { plansDir } = yield* RunFolders
    const approved = yield* Ref.make<string | null>(null)
    return PlanMode.of({
      mode: policy.mode,
      // Where the wanted mode is forbidden, the run goes on in the one that asks.
      setMode: (mode) =>
        Effect.zipRight(
          Effect.catchTag(policy.setMode(mode), "ModeError", () => Effect.orDie(policy.setMode("default"))),
          policy.mode
        ),
      modeAfterPlan: policy.modeAfterPlan,
      plansDir,
      approvedPlan: Ref.get(approved),
      approvePlan: (path) => Ref.set(approved, path)
    })
  })
)

/** A mode of its own, where there is no policy. */
export const layer = (options: { readonly initialMode: ApprovalMode; readonly plansDir: string }) =>
  Layer.effect(
    PlanMode,
    Effect.gen(function* () {
      const modes = yield* Ref.make(beginIn(options.initialMode))
      const approvedPlan = yield* Ref.make<string | null>(null)
      return PlanMode.of({
        mode: Effect.map(Ref.get(modes), ({ current }) => current),
        setMode: (next) =>
          Effect.as(
            Ref.update(modes, (state) => switchTo(state, next)),
            next
          ),
        modeAfterPlan: Effect.map(Ref.get(modes), ({ afterPlan }) => afterPlan),
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
