/** Inputs for trying hooks out: what a program would read at an event, with values that show their form. Pure. */

import type { Hook } from "./hook.ts"
import { isToldEvent, toldFields, usualWord } from "./hook-event.ts"
import { confirmationDetails, confirmationMessage, type HookInput } from "./hook-input.ts"
import { toLlmRequest, toLlmResponse } from "./llm-exchange.ts"
import { matches } from "./matching.ts"

/** Arguments by tool; the first tool that a matcher means is taken. */
const TOOLS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  write_file: { file_path: "example.txt", content: "An example.\n" },
  replace: { file_path: "example.txt", old_string: "An", new_string: "Another" },
  run_shell_command: { command: "git status" },
  read_file: { file_path: "example.txt" },
  list_directory: { dir_path: "." },
  glob: { pattern: "**/*.txt" },
  grep_search: { pattern: "example" },
  web_fetch: { prompt: "Summarise https://example.com" },
  google_web_search: { query: "example" },
  save_memory: { fact: "The example is short." }
}

export interface Sample {
  /** The tool or the word that stands for what happens; absent where an event has neither. */
  readonly subject: string | undefined
  readonly fields: Readonly<Record<string, unknown>>
}

/** `tool`: instead of the one that fits the matcher. */
export const sampleFor = ({ event, matcher }: Pick<Hook, "event" | "matcher">, tool: string | undefined): Sample => {
  if (isToldEvent(event)) {
    const word = wordOf(matcher, usualWord(event))
    return { subject: word, fields: toldFields(event, word) }
  }
  const name = tool ?? toolOf(matcher)
  const call = { tool_name: name, tool_input: Object.hasOwn(TOOLS, name) ? TOOLS[name] : {} }
  switch (event) {
    case "SessionStart": {
      const word = wordOf(matcher, "startup")
      return { subject: word, fields: { source: word } }
    }
    case "BeforeAgent":
      return { subject: undefined, fields: { prompt: PROMPT } }
    case "AfterAgent":
      return { subject: undefined, fields: { prompt: PROMPT, prompt_response: ANSWER, stop_hook_active: false } }
    case "BeforeModel":
    case "BeforeToolSelection":
      return { subject: undefined, fields: { llm_request: REQUEST } }
    case "AfterModel":
      return { subject: undefined, fields: { llm_request: REQUEST, llm_response: RESPONSE } }
    case "BeforeTool":
      return { subject: name, fields: call }
    case "AfterTool":
      return { subject: name, fields: { ...call, tool_response: { llmContent: "Done.", returnDisplay: "Done." } } }
    case "Notification":
      return { subject: undefined, fields: NOTIFICATION }
  }
}

export const sampleInput = (
  hook: Hook,
  sample: Sample,
  run: { readonly cwd: string; readonly sessionId: string; readonly timestamp: string }
): HookInput => ({
  session_id: run.sessionId,
  transcript_path: "",
  cwd: run.cwd,
  hook_event_name: hook.event,
  timestamp: run.timestamp,
  ...sample.fields
})

const wordOf = (matcher: string | undefined, usual: string): string =>
  matcher === undefined || matcher === "" || matcher === "*" ? usual : matcher

const toolOf = (matcher: string | undefined): string =>
  Object.keys(TOOLS).find((name) => matches(matcher, { _tag: "Tool", names: [name] })) ?? matcher ?? "write_file"

const PROMPT = "Explain what this project does."
const ANSWER = "It is an example."

const REQUEST = toLlmRequest({
  model: "gemini-2.5-pro",
  contents: [{ role: "user", parts: [{ text: PROMPT }] }],
  config: { temperature: 1, topP: 0.95, topK: 64 }
})

const RESPONSE = toLlmResponse({ parts: [{ text: ANSWER }], finishReason: "STOP" })

const QUESTION = { type: "exec", title: "Shell", command: "git status", rootCommands: ["git"] } as const

const NOTIFICATION = {
  notification_type: "ToolPermission",
  message: confirmationMessage(QUESTION),
  details: confirmationDetails(QUESTION)
}
