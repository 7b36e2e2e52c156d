import { describe, expect, test } from "bun:test"
import { Effect, Layer, Ref } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeReplRoom } from "../../test/kit/repl-room.ts"
import { ModeError, Policy } from "../policy/policy.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { following, makeApprovalKeys } from "./approval-keys.ts"

test.each<[ReadonlyArray<ApprovalMode>, ApprovalMode, ApprovalMode]>([
  [["default", "auto_edit", "plan"], "default", "auto_edit"],
  [["default", "auto_edit", "plan"], "plan", "default"],
  [["default", "auto_edit"], "auto_edit", "default"],
  [["default", "auto_edit"], "yolo", "default"]
])("in %j after %s comes %s", (cycle, mode, next) => expect(following(cycle, mode)).toBe(next))

/** Only the mode matters here. */
const policyWith = (mode: Ref.Ref<ApprovalMode>) =>
  Layer.succeed(Policy, {
    decide: () => Effect.die("not asked"),
    hiddenTools: () => Effect.succeed([]),
    addAlways: () => Effect.succeed({ rules: [] }),
    previewAlways: () => Effect.succeed(undefined),
    addRules: () => Effect.void,
    rules: Effect.succeed([]),
    problems: [],
    pendingWorkspace: Effect.succeed(undefined),
    acceptWorkspace: Effect.void,
    mode: Ref.get(mode),
    modeAfterPlan: Ref.get(mode),
    distrust: Effect.void,
    hear: () => Effect.void,
    setMode: (next) =>
      next === "yolo" ? new ModeError({ mode: next, detail: "it is forbidden here" }) : Ref.set(mode, next)
  })

describe("the keys of the approval mode", () => {
  it.effect("Shift-Tab goes round, and the sign before the line follows", () =>
    Effect.gen(function* () {
      const room = yield* makeReplRoom
      const mode = yield* Ref.make<ApprovalMode>("default")
      const keys = yield* Effect.provide(
        makeApprovalKeys({ hasPlans: true }),
        Layer.merge(room.layer, policyWith(mode))
      )
      const signs = [keys.prompt()]
      for (let press = 0; press < 4; press++) {
        yield* keys.hotkeys["S-tab"]
        signs.push(keys.prompt())
      }
      expect(signs).toEqual(["> ", "auto-edit> ", "plan> ", "> ", "auto-edit> "])
      expect(room.printed).toEqual(["The approval mode cannot be set to yolo: it is forbidden here"])
    })
  )

  it.effect("a mode that somebody else changed is shown after a refresh", () =>
    Effect.gen(function* () {
      const room = yield* makeReplRoom
      const mode = yield* Ref.make<ApprovalMode>("default")
      const keys = yield* Effect.provide(
        makeApprovalKeys({ hasPlans: true }),
        Layer.merge(room.layer, policyWith(mode))
      )
      yield* Ref.set(mode, "yolo")
      yield* keys.refresh
      expect(keys.prompt()).toBe("yolo> ")
    })
  )
})
