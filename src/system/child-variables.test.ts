/** None of our credentials, and no switch of our runtime, reaches a child by itself, whatever the rules say. */
import { expect, test } from "bun:test"
import { CREDENTIAL_VARIABLES, childVariables, plainVariables, withVariables } from "./child-variables.ts"
import type { RedactionRules } from "./environment-redaction.ts"

const OWN = [...CREDENTIAL_VARIABLES, "GOOGLE_APPLICATION_CREDENTIALS"]
const SWITCHES = ["BUN_OPTIONS", "BUN_BE_BUN", "BUN_INSPECT", "BUN_INSPECT_CONNECT_TO", "BUN_INSPECT_NOTIFY"]

const off: RedactionRules = { enabled: false, allowed: [], blocked: [] }
const ways: ReadonlyArray<readonly [name: string, redaction: RedactionRules | undefined]> = [
  ["no rules", undefined],
  ["rules that are off", off],
  ["rules that are on", { ...off, enabled: true }],
  ["switches that are allowed", { enabled: true, allowed: SWITCHES, blocked: [] }]
]

for (const [way, redaction] of ways) {
  for (const name of [...OWN, ...SWITCHES].flatMap((upper) => [upper, upper.toLowerCase()])) {
    test(`${name} stays here under ${way}`, () => {
      const made = childVariables({
        inherits: { [name]: "k", OTHER: "1" },
        ...(redaction === undefined ? {} : { redaction })
      })
      expect<Readonly<Record<string, string>>>(made).toEqual({ OTHER: "1" })
    })
  }
}

test("the user can hand a credential on, a runtime switch not", () => {
  const redaction = { ...off, allowed: ["gemini_api_key", "BUN_OPTIONS"] }
  const seen = childVariables({
    inherits: { GEMINI_API_KEY: "k", GOOGLE_API_KEY: "g", BUN_OPTIONS: "x" },
    redaction
  })
  expect<Readonly<Record<string, string>>>(seen).toEqual({ GEMINI_API_KEY: "k" })
})

test("what is given comes on top and is not filtered", () => {
  const made = childVariables({
    inherits: { GEMINI_API_KEY: "k", A: "1" },
    redaction: { ...off, enabled: true },
    given: { GEMINI_API_KEY: "mine", MY_TOKEN: "t" }
  })
  expect<Readonly<Record<string, string>>>(withVariables(made, { A: "2" })).toEqual({
    GEMINI_API_KEY: "mine",
    MY_TOKEN: "t",
    A: "2"
  })
})

test("programs of the system get their place and nothing else", () => {
  expect(Object.keys(plainVariables()).filter((name) => !/^(PATH|SYSTEMROOT|COMSPEC|PATHEXT)$/.test(name))).toEqual([])
})
