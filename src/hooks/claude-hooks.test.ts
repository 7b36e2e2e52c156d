/** Hooks of another agent, taken over. */
import { expect, test } from "bun:test"
import { added, fromClaude } from "./claude-hooks.ts"

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
