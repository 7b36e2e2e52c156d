import { expect, test } from "bun:test"
import { firstCheck, isCheckDue, nextCheck } from "./check-schedule.ts"

/** The turns at which a model is asked when its verdicts have this confidence. */
const checkedTurns = (confidence: number, turns: number): ReadonlyArray<number> => {
  let schedule = firstCheck
  const checked: Array<number> = []
  for (let turn = 1; turn <= turns; turn++) {
    if (!isCheckDue(schedule, turn)) continue
    checked.push(turn)
    schedule = nextCheck(turn, confidence)
  }
  return checked
}

test.each<[number, ReadonlyArray<number>]>([
  [0, [30, 45, 60]],
  [0.5, [30, 40, 50, 60]],
  [1, [30, 35, 40, 45, 50, 55, 60]],
  [-3, [30, 45, 60]],
  [7, [30, 35, 40, 45, 50, 55, 60]]
])("confidence %d: asked at turns %p", (confidence, turns) => expect(checkedTurns(confidence, 62)).toEqual([...turns]))
