import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import {
  type FolderTrustView,
  type LocatedRule,
  settledTrust,
  type TrustLevel,
  type TrustQuestion,
  trustByRules
} from "./folder-trust.ts"

const question: TrustQuestion = {
  skipTrust: false,
  variable: undefined,
  isFeatureOn: true,
  cwd: "/work/app",
  platform: "linux"
}

const rule = (path: string, level: TrustLevel, realPath = path): LocatedRule => ({ path, level, realPath })

describe("without rules", () => {
  test.each<[string, Partial<TrustQuestion>, Pick<FolderTrustView, "trust" | "reason"> | undefined]>([
    ["the flag", { skipTrust: true, variable: "false" }, { trust: "trusted", reason: "flag" }],
    ["the variable trusts", { variable: "true" }, { trust: "trusted", reason: "variable" }],
    [
      "the variable distrusts, also with the feature off",
      { variable: "false", isFeatureOn: false },
      { trust: "untrusted", reason: "variable" }
    ],
    ["another value says nothing", { variable: "yes" }, undefined],
    ["the feature is off", { isFeatureOn: false }, { trust: "trusted", reason: "feature-off" }],
    ["nothing decides", {}, undefined]
  ])("%s", (_, part, expected) => {
    const answer = settledTrust({ ...question, ...part })
    expect(answer === undefined ? undefined : { trust: answer.trust, reason: answer.reason }).toEqual(expected)
  })
})

describe("by rules", () => {
  test.each<[string, ReadonlyArray<LocatedRule>, string]>([
    ["none", [], "untrusted no-rule"],
    ["the folder itself", [rule("/work/app", "TRUST_FOLDER")], "trusted /work/app"],
    ["a folder above", [rule("/work", "TRUST_FOLDER")], "trusted /work"],
    ["the root", [rule("/", "TRUST_FOLDER")], "trusted /"],
    ["a folder below", [rule("/work/app/sub", "TRUST_FOLDER")], "untrusted no-rule"],
    ["a sibling with the same beginning", [rule("/work/ap", "TRUST_FOLDER")], "untrusted no-rule"],
    ["the parent of a sibling", [rule("/work/other", "TRUST_PARENT")], "trusted /work/other"],
    [
      "distrust inside trust",
      [rule("/work", "TRUST_FOLDER"), rule("/work/app", "DO_NOT_TRUST")],
      "untrusted /work/app"
    ],
    ["trust inside distrust", [rule("/work", "DO_NOT_TRUST"), rule("/work/app", "TRUST_FOLDER")], "trusted /work/app"],
    [
      "the longest written path wins, not the real one",
      [rule("/a/long/link/to/work", "DO_NOT_TRUST", "/work"), rule("/work/app", "TRUST_FOLDER")],
      "untrusted /a/long/link/to/work"
    ],
    [
      "equally long: distrust",
      [rule("/work/app", "TRUST_FOLDER"), rule("/link/app", "DO_NOT_TRUST", "/work/app")],
      "untrusted /link/app"
    ]
  ])("%s", (_, rules, expected) => {
    const answer = trustByRules(question, rules)
    expect(`${answer.trust} ${answer.rule?.path ?? answer.reason}`).toBe(expected)
  })

  test("Windows does not look at case", () => {
    const rules = [rule("/Work/App", "TRUST_FOLDER")]
    expect(trustByRules({ ...question, platform: "win32" }, rules).trust).toBe("trusted")
    expect(trustByRules(question, rules).trust).toBe("untrusted")
  })

  test("the order of the rules does not matter", () => {
    const path = fc.constantFrom("/", "/work", "/work/app", "/work/app/x", "/other")
    const rules = fc.uniqueArray(
      fc.record({ path, level: fc.constantFrom<TrustLevel>("TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST") }),
      {
        selector: (one) => one.path
      }
    )
    fc.assert(
      fc.property(rules, (some) => {
        const located = some.map((one) => ({ ...one, realPath: one.path }))
        expect(trustByRules(question, located)).toEqual(trustByRules(question, located.toReversed()))
      })
    )
  })
})
