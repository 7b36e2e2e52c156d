import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { decisionFor, type EnablementRule, parseRule, ruleFor, ruleText, withRule } from "./enablement.ts"

test.each<[string, ReadonlyArray<string>, string, boolean | undefined]>([
  ["no rule says nothing", [], "/home/me/work", undefined],
  ["a rule with a star covers what is below", ["!/home/me/*"], "/home/me/work", false],
  ["and the folder itself", ["!/home/me/*"], "/home/me", false],
  ["but not a folder whose name only begins so", ["!/home/me/*"], "/home/mean", undefined],
  ["a rule without a star covers the folder only", ["!/home/me/"], "/home/me/work", undefined],
  ["the last rule that matches wins", ["!/home/*", "/home/me/*"], "/home/me", true],
  ["whatever comes before", ["/home/me/*", "!/home/*"], "/home/me", false],
  ["slashes are added where they are missing", ["!home/me*"], "home/me/", false],
  ["paths of Windows are compared with forward slashes", ["!/C:/Users/me/*"], "C:\\Users\\me\\work", false],
  ["a star inside stands for anything", ["!/home/*/work/"], "/home/me/work", false]
])("%s", (_, rules, folder, expected) => {
  expect(decisionFor(rules, folder)).toBe(expected)
})

test.each<[string, ReadonlyArray<string>, EnablementRule, ReadonlyArray<string>]>([
  ["the opposite for the same folder goes", ["!/a/*"], ruleFor("/a", false), ["/a/*"]],
  ["the same rule is not written twice", ["/a/*"], ruleFor("/a", false), ["/a/*"]],
  ["what lies below goes", ["!/a/b/*", "/a/c/", "/d/*"], ruleFor("/a", true), ["/d/*", "!/a/*"]],
  ["what lies above stays", ["!/a/*"], ruleFor("/a/b", false), ["!/a/*", "/a/b/*"]]
])("adding a rule: %s", (_, rules, added, expected) => {
  expect(withRule(rules, added)).toEqual(expected)
})

describe("for every set of rules", () => {
  const folder = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`)
  const rule = fc
    .record({ folder, isOff: fc.boolean(), coversBelow: fc.boolean() })
    .map(({ coversBelow, folder: path, isOff }) => ruleText({ ...ruleFor(path, isOff), coversBelow }))
  const rules = fc.array(rule, { maxLength: 6 })

  test("the rule that was added decides for its folder and all below", () => {
    fc.assert(
      fc.property(rules, folder, folder, fc.boolean(), (known, at, below, isOff) => {
        const next = withRule(known, ruleFor(at, isOff))
        expect(decisionFor(next, at)).toBe(!isOff)
        expect(decisionFor(next, `${at}/${below}`)).toBe(!isOff)
      })
    )
  })

  test("nothing changes for folders that it does not cover", () => {
    fc.assert(
      fc.property(rules, folder, folder, fc.boolean(), (known, at, other, isOff) => {
        fc.pre(!`${other}/`.replace("//", "/").startsWith(`${at}/`.replace("//", "/")))
        expect(decisionFor(withRule(known, ruleFor(at, isOff)), other)).toBe(decisionFor(known, other))
      })
    )
  })

  test("adding a rule twice is adding it once", () => {
    fc.assert(
      fc.property(rules, folder, fc.boolean(), (known, at, isOff) => {
        const once = withRule(known, ruleFor(at, isOff))
        expect(withRule(once, ruleFor(at, isOff))).toEqual(once)
      })
    )
  })

  test("a rule is read as it was written", () => {
    fc.assert(fc.property(rule, (text) => expect(ruleText(parseRule(text))).toBe(text)))
  })
})
