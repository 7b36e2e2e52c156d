import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { type ApprovalMode, isFreer, MODES_BY_FREEDOM } from "../protocol/modes.ts"
import { beginIn, type ModeState, switchTo } from "./approval-mode.ts"

const after = (began: ApprovalMode, ...changes: ReadonlyArray<ApprovalMode>): ModeState =>
  changes.reduce(switchTo, beginIn(began))

describe("what plan mode gives way to", () => {
  test.each<[ApprovalMode, ReadonlyArray<ApprovalMode>, ApprovalMode]>([
    ["default", ["plan"], "default"],
    ["auto_edit", ["plan"], "auto_edit"],
    ["yolo", ["plan"], "yolo"],
    ["plan", [], "plan"],
    ["plan", ["plan"], "plan"],
    // A person lowered it, or raised it for the time being.
    ["yolo", ["default", "plan"], "default"],
    ["default", ["auto_edit", "plan"], "default"],
    ["plan", ["yolo", "plan"], "plan"],
    // Entered twice, or again after an interlude.
    ["default", ["plan", "plan"], "default"],
    ["yolo", ["plan", "default", "plan"], "default"]
  ])("begun in %s, then %j: %s", (began, changes, mode) => expect(after(began, ...changes).afterPlan).toBe(mode))

  const mode = FastCheck.constantFrom(...MODES_BY_FREEDOM)

  test("never more than the run began with, nor than what was on before it", () =>
    FastCheck.assert(
      FastCheck.property(mode, FastCheck.array(mode, { maxLength: 8 }), (began, changes) => {
        const before = after(began, ...changes)
        const { afterPlan, current } = switchTo(before, "plan")
        expect(current).toBe("plan")
        expect(isFreer(afterPlan, began)).toBe(false)
        if (before.current !== "plan") expect(isFreer(afterPlan, before.current)).toBe(false)
      })
    ))

  test("going in and out any number of times gains nothing", () =>
    FastCheck.assert(
      FastCheck.property(mode, FastCheck.nat({ max: 6 }), (began, times) => {
        const end = Array.from({ length: times }).reduce((state: ModeState) => {
          const planning = switchTo(state, "plan")
          return switchTo(planning, planning.afterPlan)
        }, beginIn(began))
        expect(end.current).toBe(began)
      })
    ))
})
