/** The approval mode under the person's fingers: Shift-Tab goes through the modes that are allowed here. */
import { Effect } from "effect"
import { Policy } from "../policy/policy.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { Screen } from "./terminal/screen.ts"

export interface ApprovalKeys {
  readonly hotkeys: Readonly<Record<string, Effect.Effect<void>>>
  /** Stands before the line: the mode is visible where it acts. */
  readonly prompt: () => string
  /** After a command or a tool may have changed the mode. */
  readonly refresh: Effect.Effect<void>
}

/** In the order in which Shift-Tab goes through them. */
const CYCLE: ReadonlyArray<ApprovalMode> = ["default", "auto_edit", "plan", "yolo"]

const SIGNS: Readonly<Record<ApprovalMode, string>> = {
  default: "> ",
  auto_edit: "auto-edit> ",
  plan: "plan> ",
  yolo: "yolo> "
}

export const makeApprovalKeys = Effect.fnUntraced(function* (options: { readonly hasPlans: boolean }) {
  const policy = yield* Policy
  const screen = yield* Screen
  const cycle = CYCLE.filter((mode) => mode !== "plan" || options.hasPlans)
  // The editor asks for the sign while it draws, and cannot wait for an answer.
  let shown = yield* policy.mode
  const refresh = Effect.map(policy.mode, (mode) => {
    shown = mode
  })
  /** A mode that may not be had is said so, and left out. */
  const switchTo = (mode: ApprovalMode): Effect.Effect<void> =>
    Effect.catchTag(policy.setMode(mode), "ModeError", (error) =>
      Effect.zipRight(screen.print(error.message), mode === cycle[0] ? Effect.void : switchTo(following(cycle, mode)))
    )
  return {
    hotkeys: {
      "S-tab": policy.mode.pipe(
        Effect.flatMap((mode) => switchTo(following(cycle, mode))),
        Effect.zipRight(refresh)
      )
    },
    prompt: () => SIGNS[shown],
    refresh
  } satisfies ApprovalKeys
})

/** A mode outside the cycle leads to its beginning. */
export const following = (cycle: ReadonlyArray<ApprovalMode>, mode: ApprovalMode): ApprovalMode =>
  cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "default"
