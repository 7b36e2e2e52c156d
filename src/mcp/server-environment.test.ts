// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts under test.
import { expect, test } from "bun:test"
import type { Variables } from "../system/child-variables.ts"
import { expandVariables, serverEnvironment } from "./server-config.ts"

const variables = {
  HOME: "/home/me",
  TOKEN_X: "sesame",
  PRICE: "a$HOME",
  EMPTY: "",
  GITHUB_TOKEN: "ghp_0123456789",
  DB_URI: "x",
  BUN_OPTIONS: "--preload evil.ts",
  EDITOR: "vi"
}
const redaction = { allowed: [], blocked: [] }
const around = { variables, redaction, platform: "linux" as const }

test.each<[string, string]>([
  ["$HOME/x", "/home/me/x"],
  ["${TOKEN_X}", "sesame"],
  ["${MISSING:-there}", "there"],
  ["${EMPTY:-there}", "there"],
  ["$MISSING!", "!"],
  ["$PRICE", "a$HOME"],
  ["costs $5", "costs $5"],
  ["%HOME%", "%HOME%"]
])("%j is %j", (written, expected) => expect(expandVariables(written, variables, "linux")).toBe(expected))

test("percent signs count on Windows, and a value is not expanded again", () => {
  expect(expandVariables("%HOME%;$TOKEN_X;%PRICE%", variables, "win32")).toBe("/home/me;sesame;a$HOME")
})

test("a server sees no secrets but those that its own env names", () => {
  expect<Variables>(serverEnvironment({ MY_TOKEN: "$TOKEN_X", DB_URI: "mine" }, around)).toEqual({
    HOME: "/home/me",
    PRICE: "a$HOME",
    EMPTY: "",
    EDITOR: "vi",
    GEMINI_CLI: "1",
    MY_TOKEN: "sesame",
    DB_URI: "mine"
  })
})

test("the values of an extension's settings arrive, secret or not, and its env may use them", () => {
  const { GITHUB_TOKEN, MINE, EDITOR } = serverEnvironment({ MINE: "${GITHUB_TOKEN}!", EDITOR: "ed" }, around, {
    GITHUB_TOKEN: "of-the-extension",
    EDITOR: "emacs"
  })
  expect({ GITHUB_TOKEN, MINE, EDITOR }).toEqual({
    GITHUB_TOKEN: "of-the-extension",
    MINE: "of-the-extension!",
    EDITOR: "ed"
  })
})

test("allowed names come back", () => {
  const allowed = { ...around, redaction: { allowed: ["token_x"], blocked: ["EDITOR"] } }
  expect(serverEnvironment({}, allowed).TOKEN_X).toBe("sesame")
  expect(serverEnvironment({}, allowed).EDITOR).toBeUndefined()
})
