import { expect } from "bun:test"
import { utimesSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { ageOfMark, isMarkOlder } from "./time-mark.ts"

it.live("a mark is as old as the clock says, in whole milliseconds, and may be from the future", () =>
  Effect.gen(function* () {
    const file = join(yield* tempFolder({ mark: "" }), "mark")
    const noon = Date.UTC(2026, 5, 1, 12)
    utimesSync(file, 0, (noon + 0.9) / 1000)
    const ages = [noon - 1, noon, noon + 1000].map((now) => ageOfMark(file, now) ?? Number.NaN)
    expect(ages).toEqual([-1, 0, 1000])
    expect(ages.map((age) => isMarkOlder(age, 999))).toEqual([true, false, true])
    expect(ageOfMark(`${file}.not`, noon)).toBeUndefined()
  })
)
