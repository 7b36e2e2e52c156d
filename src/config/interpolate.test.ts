// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts under test.
import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { interpolate } from "./interpolate.ts"

const lookup = (name: string) =>
  new Map([
    ["HOME", "/h"],
    ["EMPTY", ""],
    ["N_1", "one"]
  ]).get(name)

test.each<[string, string]>([
  ["$HOME/x", "/h/x"],
  ["${HOME}x", "/hx"],
  ["$N_1-${N_1}", "one-one"],
  ["$MISSING and ${MISSING}", "$MISSING and ${MISSING}"],
  ["${MISSING:-fallback}", "fallback"],
  ["${MISSING:-}", ""],
  ["${HOME:-fallback}", "/h"],
  ["[${EMPTY:-fallback}]", "[]"],
  ["$1 $$ ${} $ ${a b}", "$1 $$ ${} $ ${a b}"],
  ["${MISSING:-$HOME}", "$HOME"]
])("%s", (text, expected) => expect(interpolate(text, lookup)).toBe(expected))

test("reaches into lists and objects, but not into names", () => {
  expect(interpolate({ $HOME: ["$HOME", 1, null, { a: "${N_1}" }] }, lookup)).toEqual({
    $HOME: ["/h", 1, null, { a: "one" }]
  })
})

test("values without a dollar are left as they are", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes("$"))
      expect(interpolate(value, () => "x")).toEqual(value)
    })
  )
})
