/** Hooks of Claude Code in the words of this program. Pure; what has no counterpart is named, not lost in silence. */
import { Predicate } from "effect"
import type { HookEvent } from "./hook-event.ts"

export interface Migration {
  readonly hooks: Partial<Record<HookEvent, ReadonlyArray<Readonly<Record<string, unknown>>>>>
  /** One line each: what was left out, and why. */
  readonly leftOut: ReadonlyArray<string>
}

const EVENTS: Readonly<Record<string, HookEvent>> = {
  PreToolUse: "BeforeTool",
  PostToolUse: "AfterTool",
  UserPromptSubmit: "BeforeAgent",
  Stop: "AfterAgent",
  SubAgentStop: "AfterAgent",
  SubagentStop: "AfterAgent",
  PreCompact: "PreCompress",
  SessionStart: "SessionStart",
  SessionEnd: "SessionEnd",
  Notification: "Notification"
}

const TOOLS: Readonly<Record<string, string>> = {
  Edit: "replace",
  MultiEdit: "replace",
  Bash: "run_shell_command",
  Read: "read_file",
  Write: "write_file",
  Glob: "glob",
  Grep: "grep_search",
  LS: "list_directory",
  WebFetch: "web_fetch",
  WebSearch: "google_web_search",
  TodoWrite: "write_todos"
}

export const fromClaude = (settings: unknown): Migration => {
  const table = Predicate.isReadonlyRecord(settings) ? settings.hooks : undefined
  if (!Predicate.isReadonlyRecord(table)) return { hooks: {}, leftOut: [] }
  const hooks: Partial<Record<HookEvent, Array<Readonly<Record<string, unknown>>>>> = {}
  const leftOut: Array<string> = []
  for (const [name, written] of Object.entries(table)) {
    const event = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined
    if (event === undefined || !Array.isArray(written)) {
      leftOut.push(event === undefined ? `${name}: there is no such event here` : `${name}: it is not a list`)
      continue
    }
    for (const definition of written) {
      const moved = definitionOf(definition, (what) => void leftOut.push(`${name}: ${what}`))
      if (moved !== undefined) hooks[event] = [...(hooks[event] ?? []), moved]
    }
  }
  return { hooks, leftOut }
}

/** Those that a list has already are not added again. */
export const added = (present: ReadonlyArray<unknown>, more: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...present,
  ...more.filter((one) => !present.some((other) => Bun.deepEquals(one, other)))
]

const definitionOf = (definition: unknown, leaveOut: (what: string) => void) => {
  if (!Predicate.isReadonlyRecord(definition) || !Array.isArray(definition.hooks)) {
    leaveOut("a definition without a list of hooks")
    return undefined
  }
  const commands = definition.hooks.flatMap((hook: unknown) => commandOf(hook, leaveOut))
  if (commands.length === 0) return undefined
  const matcher = typeof definition.matcher === "string" ? { matcher: matcherOf(definition.matcher) } : {}
  return { ...matcher, hooks: commands }
}

const commandOf = (
  hook: unknown,
  leaveOut: (what: string) => void
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (!Predicate.isReadonlyRecord(hook) || typeof hook.command !== "string") {
    leaveOut(
      `a hook of type ${JSON.stringify(Predicate.isReadonlyRecord(hook) ? hook.type : hook)}; only commands can be taken over`
    )
    return []
  }
  // There times are seconds, here they are milliseconds.
  const timeout = typeof hook.timeout === "number" ? { timeout: Math.max(1, Math.round(hook.timeout * 1000)) } : {}
  return [{ type: "command", command: hook.command.replaceAll("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"), ...timeout }]
}

/** Whole words only: `Read` is not in `ReadMe`. */
const matcherOf = (matcher: string): string =>
  matcher
    .replace(/\bmcp__(\w+?)__(\w+)/g, "mcp_$1_$2")
    .replace(/\b[A-Za-z]+\b/g, (word) => (Object.hasOwn(TOOLS, word) ? (TOOLS[word] ?? word) : word))
