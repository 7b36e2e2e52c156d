/** The text of a command, fingerprints, hooks of another agent. */
import { describe, expect, test } from "bun:test"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FastCheck as fc } from "effect"
import { added, fromClaude } from "./claude-hooks.ts"
import { commandText } from "./command-text.ts"
import { fingerprintOf } from "./fingerprint.ts"
import type { Hook } from "./hook.ts"

describe("the text of a command", () => {
  const places = { GEMINI_PROJECT_DIR: "/a b", GEMINI_CWD: "/plain" }
  const TABLE: ReadonlyArray<readonly [string, string]> = [
    ["$GEMINI_PROJECT_DIR/x.sh", "'/a b'/x.sh"],
    ["${GEMINI_PROJECT_DIR}/x.sh $GEMINI_CWD", "'/a b'/x.sh /plain"],
    ['"$GEMINI_PROJECT_DIR/x.sh"', '"$GEMINI_PROJECT_DIR/x.sh"'],
    ["'$GEMINI_CWD' $GEMINI_CWD", "'$GEMINI_CWD' /plain"],
    ["\\$GEMINI_CWD", "\\$GEMINI_CWD"],
    ["$GEMINI_CWDS $HOME $", "$GEMINI_CWDS $HOME $"],
    ['"it\'s" $GEMINI_CWD', '"it\'s" /plain']
  ]
  test.each(TABLE)("%s", (written, made) => expect(commandText(written, places)).toBe(made))
  test("without a place, nothing is touched", () => {
    fc.assert(fc.property(fc.string(), (text) => expect(commandText(text, {})).toBe(text)))
  })
})

describe("fingerprints", () => {
  const project = mkdtempSync(join(tmpdir(), "hooks-print-"))
  const places = { GEMINI_PROJECT_DIR: project }
  const hook: Hook = {
    event: "BeforeTool",
    command: "$GEMINI_PROJECT_DIR/check.sh && python3 './lib/x.py'",
    name: undefined,
    description: undefined,
    matcher: "write_file",
    isSequential: false,
    timeoutMs: 5,
    env: { A: "1", B: "2" },
    given: {},
    failsClosed: false,
    streams: false,
    source: { scope: "project", file: "f" }
  }
  const print = (changed: Partial<Hook> = {}) => fingerprintOf({ ...hook, ...changed }, places, project)

  test("event, matcher, command, variables and time make another one; the rest does not", () => {
    const same = print()
    expect(same).toMatch(/^sha256:[0-9a-f]{64}$/)
    for (const changed of [
      { event: "AfterTool" },
      { matcher: "x" },
      { command: "y" },
      { env: { A: "2" } },
      { timeoutMs: 6 }
    ] as const) {
      expect(print(changed)).not.toBe(same)
    }
    expect(print({ env: { B: "2", A: "1" }, description: "d", source: { scope: "project", file: "g" } })).toBe(same)
  })
  test("so does the content of a file of the project that the command names, behind an interpreter too", () => {
    const none = print()
    writeFileSync(join(project, "check.sh"), "one")
    const one = print()
    writeFileSync(join(project, "check.sh"), "two")
    const two = print()
    Bun.spawnSync(["mkdir", "-p", join(project, "lib")])
    writeFileSync(join(project, "lib/x.py"), "x")
    expect(new Set([none, one, two, print()]).size).toBe(4)
  })
})

test("hooks of Claude Code in our words", () => {
  const { hooks, leftOut } = fromClaude({
    hooks: {
      PreToolUse: [
        { matcher: "Edit|MultiEdit|Bash", hooks: [{ type: "command", command: "$CLAUDE_PROJECT_DIR/a", timeout: 2 }] },
        {
          matcher: "Grep|LS|mcp__git__log",
          hooks: [
            { type: "prompt", prompt: "x" },
            { type: "command", command: "b" }
          ]
        }
      ],
      Stop: [{ hooks: [{ type: "command", command: "c" }] }],
      SubAgentStop: [{ hooks: [{ type: "command", command: "d" }] }],
      PermissionRequest: []
    }
  })
  expect(hooks).toEqual({
    BeforeTool: [
      {
        matcher: "replace|replace|run_shell_command",
        hooks: [{ type: "command", command: "$GEMINI_PROJECT_DIR/a", timeout: 2000 }]
      },
      { matcher: "grep_search|list_directory|mcp_git_log", hooks: [{ type: "command", command: "b" }] }
    ],
    AfterAgent: [{ hooks: [{ type: "command", command: "c" }] }, { hooks: [{ type: "command", command: "d" }] }]
  })
  expect(leftOut).toEqual([
    'PreToolUse: a hook of type "prompt"; only commands can be taken over',
    "PermissionRequest: there is no such event here"
  ])
  expect(added([{ a: 1 }], [{ a: 1 }, { b: 2 }])).toEqual([{ a: 1 }, { b: 2 }])
})
