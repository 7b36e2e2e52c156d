/** Every way to ask for a sandbox, and which of two ways counts. */
import { describe, expect, test } from "bun:test"
import { Either } from "effect"
import { type ChoiceInput, chooseSandbox } from "./choose-sandbox.ts"

const nothing: ChoiceInput = {
  flag: undefined,
  variable: undefined,
  setting: undefined,
  toolSandboxing: false,
  allowedPaths: [],
  networkAccess: false,
  allowedDomains: [],
  isInside: false,
  platform: "linux"
}

const AUTOMATIC = "bwrap landlock podman docker"

const chosen = (given: Partial<ChoiceInput>): string =>
  Either.match(chooseSandbox({ ...nothing, ...given }), {
    onLeft: (error) => `44 ${error.requestedBy}: ${error.reasons.join("; ")}`,
    onRight: (wish) => (wish === undefined ? "none" : `${wish.candidates.join(" ")} by ${wish.requestedBy}`)
  })

const rows: ReadonlyArray<readonly [Partial<ChoiceInput>, string]> = [
  [{}, "none"],
  [{ flag: true }, `${AUTOMATIC} by --sandbox`],
  [{ flag: false }, "none"],
  [{ flag: "landlock" }, "landlock by --sandbox"],
  [{ flag: "true" }, `${AUTOMATIC} by --sandbox`],
  [{ flag: "false", setting: true }, "none"],
  [{ flag: "moat" }, '44 --sandbox: there is no sandbox named "moat"'],
  [{ variable: "true" }, `${AUTOMATIC} by GEMINI_SANDBOX`],
  [{ variable: "1" }, `${AUTOMATIC} by GEMINI_SANDBOX`],
  [{ variable: " " }, "none"],
  [{ variable: "0", setting: true }, "none"],
  [{ variable: "False", setting: "docker" }, "none"],
  [{ variable: "bwrap", setting: "docker" }, "bwrap by GEMINI_SANDBOX"],
  [{ variable: "BWRAP" }, "bwrap by GEMINI_SANDBOX"],
  [{ variable: "bwrap", flag: false }, "bwrap by GEMINI_SANDBOX"],
  [{ variable: "../../evil" }, '44 GEMINI_SANDBOX: there is no sandbox named "../../evil"'],
  [{ variable: "sandbox-exec" }, "44 GEMINI_SANDBOX: sandbox-exec does not exist on linux"],
  [{ variable: "windows-native" }, "44 GEMINI_SANDBOX: windows-native does not exist on linux"],
  [{ variable: "bwrap", platform: "darwin" }, "44 GEMINI_SANDBOX: bwrap does not exist on darwin"],
  [{ variable: "true", platform: "darwin" }, "sandbox-exec docker podman by GEMINI_SANDBOX"],
  [{ flag: true, variable: "landlock" }, "landlock by --sandbox"],
  [{ flag: true, variable: "false" }, `${AUTOMATIC} by --sandbox`],
  [{ flag: true, setting: "bwrap" }, "bwrap by --sandbox"],
  [{ flag: true, setting: { enabled: false, command: "landlock" } }, "landlock by --sandbox"],
  [{ flag: "bwrap", variable: "landlock" }, "bwrap by --sandbox"],
  [{ setting: true }, `${AUTOMATIC} by the setting tools.sandbox`],
  [{ setting: false }, "none"],
  [{ setting: "landlock" }, "landlock by the setting tools.sandbox"],
  [{ setting: { enabled: true } }, `${AUTOMATIC} by the setting tools.sandbox`],
  [{ setting: { enabled: true, command: "bwrap" } }, "bwrap by the setting tools.sandbox"],
  [{ setting: { command: "bwrap" } }, "none"],
  [{ toolSandboxing: true }, `${AUTOMATIC} by the setting security.toolSandboxing`],
  [{ toolSandboxing: true, setting: "landlock" }, "landlock by the setting tools.sandbox"],
  [{ toolSandboxing: true, flag: false }, "none"],
  [{ flag: true, isInside: true }, "none"],
  [{ variable: "moat", isInside: true }, "none"]
]

describe("which sandbox is chosen", () => {
  test.each(rows)("%j: %s", (given, expected) => {
    expect(chosen(given)).toBe(expected)
  })
})

test("the network and more paths come from the object and from the settings beside it", () => {
  const wish = (given: Partial<ChoiceInput>) => {
    const result = Either.getOrThrow(chooseSandbox({ ...nothing, ...given }))
    return [result?.network, result?.allowedPaths]
  }
  expect(wish({ flag: true })).toEqual(["off", []])
  expect(wish({ setting: { enabled: true } })).toEqual(["off", []])
  expect(wish({ setting: { enabled: true, networkAccess: true } })).toEqual(["on", []])
  expect(wish({ setting: true, networkAccess: true })).toEqual(["on", []])
  expect(wish({ setting: { enabled: true, allowedPaths: ["/a"] }, allowedPaths: ["/b"] })).toEqual([
    "off",
    ["/a", "/b"]
  ])
  expect(wish({ flag: true, allowedDomains: ["*.example.com"] })[0]).toMatchObject([
    { host: "example.com", below: true }
  ])
  expect(wish({ flag: true, allowedDomains: ["*.example.com"], networkAccess: true })[0]).toBe("on")
})

test("a domain that cannot be read is told, and nothing runs", () => {
  expect(chosen({ flag: true, allowedDomains: ["example.com", "https://x.org/"] })).toBe(
    '44 the setting tools.sandboxAllowedDomains: "https://x.org/" cannot be read as a domain'
  )
})
