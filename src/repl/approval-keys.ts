/** The approval mode under the person's fingers: Shift-Tab goes through the modes, Ctrl-Y turns YOLO on and off. */
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
const CYCLE: ReadonlyArray<ApprovalMode> = ["default", "auto_edit", "plan"]

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
  const switchFrom = (next: (mode: ApprovalMode) => ApprovalMode) =>
    policy.mode.pipe(
      Effect.flatMap((mode) => policy.setMode(next(mode))),
      Effect.catchTag("ModeError", (error) => screen.print(error.message)),
      Effect.zipRight(refresh)
    )
  return {
    hotkeys: {
      "S-tab": switchFrom((mode) => following(cycle, mode)),
      "C-y": switchFrom((mode) => (mode === "yolo" ? "default" : "yolo"))
    },
    prompt: () => SIGNS[shown],
    refresh
  } satisfies ApprovalKeys
})

/** A mode outside the cycle leads to its beginning. */
export const following = (cycle: ReadonlyArray<ApprovalMode>, mode: ApprovalMode): ApprovalMode =>
  cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "default"
