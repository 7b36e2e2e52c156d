/** What a command of the model finds in its environment. */
import { expect, test } from "bun:test"
import type { Variables } from "../system/child-variables.ts"
import type { RedactionRules } from "../system/environment-redaction.ts"
import { childEnvironment } from "./child-environment.ts"

const off: RedactionRules = { enabled: false, allowed: [], blocked: [] }

const child = (variables: Record<string, string>, more: Partial<Parameters<typeof childEnvironment>[0]> = {}) =>
  childEnvironment({ variables, redaction: off, pager: "cat", lockedGit: undefined, mark: "m", ...more })

test("nothing waits for a person", () => {
  expect<Variables>(child({ TERM: "dumb", PAGER: "less", DISPLAY: ":0", GIT_EDITOR: "vi" }, { pager: "more" })).toEqual(
    {
      GEMINI_CLI: "1",
      TERM: "xterm-256color",
      PAGER: "more",
      GIT_PAGER: "more",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "",
      SSH_ASKPASS: "",
      DISPLAY: "",
      DBUS_SESSION_BUS_ADDRESS: "",
      GH_PROMPT_DISABLED: "1",
      GCM_INTERACTIVE: "never",
      GIT_CONFIG_COUNT: "3",
      GIT_CONFIG_KEY_0: "core.editor",
      GIT_CONFIG_VALUE_0: "",
      GIT_CONFIG_KEY_1: "sequence.editor",
      GIT_CONFIG_VALUE_1: "",
      GIT_CONFIG_KEY_2: "core.pager",
      GIT_CONFIG_VALUE_2: "cat",
      GEMINI_CLI_COMMAND_ID: "m"
    }
  )
})

test("git settings that were handed over are kept, ours come after them", () => {
  const given = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" }
  expect(child(given)).toMatchObject({ ...given, GIT_CONFIG_COUNT: "4", GIT_CONFIG_KEY_1: "core.editor" })
  expect(child({ GIT_CONFIG_COUNT: "junk" })).toMatchObject({ GIT_CONFIG_COUNT: "3" })
})

test("an untrusted folder locks git down and keeps the user's name", () => {
  const seen = child({ HOME: "/h" }, { lockedGit: { name: "Ann", email: undefined } })
  expect(seen).toMatchObject({
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: "9",
    GIT_CONFIG_KEY_0: "credential.helper",
    GIT_CONFIG_KEY_2: "core.hooksPath",
    GIT_CONFIG_KEY_8: "user.name",
    GIT_CONFIG_VALUE_8: "Ann"
  })
})

test("a trusted folder leaves the user's git configuration alone", () => {
  const seen = child({ HOME: "/h" })
  expect(seen).not.toHaveProperty("GIT_CONFIG_GLOBAL")
  expect(Object.values(seen)).not.toContain("core.hooksPath")
})
