import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { type Experiments, experimentsFrom, flagsIn } from "./experiments.ts"

const values = (given: Readonly<Record<string, unknown>>): Experiments => ({ ids: [], values: given })

describe("what flags mean", () => {
  test.each<[string, unknown, object]>([
    ["45740196", false, { preview: false }],
    ["45740196", "true", {}],
    ["45750527", "40", { routingThreshold: 40 }],
    ["45750527", 41.5, { routingThreshold: 41.5 }],
    ["45750527", "", {}],
    ["45750527", "-1", {}],
    ["45773134", "forty", {}],
    ["45740197", 0.25, { compressionThreshold: 0.25 }],
    ["45740199", "  ", {}],
    ["45740200", "much to do", { capacityText: "much to do" }],
    ["1", true, {}]
  ])("%s is %p", (id, value, flags) => expect<object>(flagsIn(values({ [id]: value }))).toEqual(flags))
})

const GIVEN = values({ 45752213: true, 45740196: true })

it.live(
  "a file in place of the server: what it says counts, but for an administrator; an unreadable one does not",
  () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder({
        "replaces.json": '{"experimentIds":[7],"flags":[{"flagId":45740196,"boolValue":false}]}',
        "odd.json": '{"flags":[null,{"flagId":{}},{"flagId":"45750527","intValue":"9"}]}',
        "half.json": "{",
        "list.json": "[]"
      })
      const from = (name: string) => experimentsFrom(`${folder}/${name}.json`, GIVEN)
      expect(yield* from("replaces")).toEqual({ ids: [7], values: { 45740196: false, 45752213: true } })
      expect(yield* from("odd")).toMatchObject({ values: { 45750527: "9", 45752213: true } })
      for (const name of ["half", "list", "missing"]) expect(yield* from(name)).toBe(GIVEN)
    })
)
