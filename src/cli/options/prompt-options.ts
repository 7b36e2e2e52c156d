/** What is asked, of which model, and how the answer is printed. */
import { OutputFormat } from "../../protocol/modes.ts"
import { TierWish } from "../../protocol/usage.ts"
import type { RootOption } from "../option-row.ts"

export const promptOptions: ReadonlyArray<RootOption> = [
  {
    long: "prompt",
    short: "p",
    type: "string",
    value: "TEXT",
    description: "Answer this prompt and exit. Piped input is put before it.",
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "prompt-interactive",
    short: "i",
    type: "string",
    value: "TEXT",
    description: "Send this prompt first, then go on as a chat.",
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "stdin-timeout",
    type: "string",
    value: "TIME",
    description: "With -p: how long to wait for the first byte of piped input (default 10s, 0 = for ever).",
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "input-format",
    type: "choice",
    choices: ["text", "stream-json"],
    value: "FORMAT",
    description: "With -o stream-json: read prompts from stdin, one JSON object a line.",
    group: "Prompt",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "strict-input",
    type: "boolean",
    description: "A line of that stream that cannot be read ends the run with 42.",
    group: "Prompt",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "permission-prompts",
    type: "choice",
    choices: ["none", "stream"],
    value: "WHO",
    description: "Who is asked about calls: nobody, or the input stream.",
    group: "Approval and trust",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "permission-timeout",
    type: "string",
    value: "TIME",
    description: "How long the input stream may take to answer (default 60s).",
    group: "Approval and trust",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "file",
    short: "f",
    type: "texts",
    value: "PATH",
    names: "path",
    description: "Attach this file: text, picture, sound, video or PDF; - is standard input. Repeatable.",
    group: "Prompt",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "system-prompt",
    type: "string",
    value: "TEXT|@FILE",
    names: "text",
    description: "In place of the built-in system prompt.",
    group: "Prompt",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "append-system-prompt",
    type: "texts",
    value: "TEXT|@FILE",
    names: "text",
    description: "Behind the system prompt. Repeatable.",
    group: "Prompt",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "all-files",
    type: "boolean",
    description: "Put every file of the workspace into the context, within a token budget.",
    hidden: true,
    group: "Prompt",
    since: "0.1"
  },
  {
    long: "model",
    short: "m",
    type: "string",
    value: "NAME",
    description: "Model or alias (default: GEMINI_MODEL, then model.name, then auto).",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "thinking",
    type: "string",
    value: "LEVEL",
    description: "How much the model thinks: off, low, medium, high, or a number of tokens.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "tier",
    type: "choice",
    choices: TierWish.literals,
    value: "TIER",
    description: "Service tier: flex is half the price and slow, auto is flex as long as that answers.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "output-format",
    short: "o",
    type: "choice",
    choices: OutputFormat.literals,
    value: "FORMAT",
    description: "Print the answer, one JSON document, or one JSON event a line.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "output-schema",
    type: "string",
    names: "data",
    value: "FILE|JSON",
    description: "The answer must be JSON that fits this JSON Schema; otherwise exit 57.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "last-message-file",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Also write the final answer to this file.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "events",
    type: "string",
    value: "FILE|fd:N",
    names: "path",
    description: "Also write the events of stream-json to this file or descriptor.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "code",
    type: "boolean",
    description: "Print only the code blocks of the final answer.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "estimate",
    type: "boolean",
    description: "Print what the request would hold, in tokens and cost, and send nothing.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "cache",
    type: "boolean",
    value: "DIR",
    description: "Answer from what was kept while the question and its files are the same (default: ~/.gemini/cache).",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "raw-output",
    type: "boolean",
    description: "Do not remove escape sequences from the model's text.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "accept-raw-output-risk",
    type: "boolean",
    description: "Raw output without its warning.",
    group: "Model and output",
    since: "0.1"
  },
  {
    long: "quiet",
    short: "q",
    type: "boolean",
    description: "Nothing on stderr but errors.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "verbose",
    type: "boolean",
    description: "Thoughts, calls, compression and agents too: on stderr, or as events of stream-json.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "no-progress",
    type: "boolean",
    description: "No status line while the run waits.",
    group: "Model and output",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "screen-reader",
    type: "boolean",
    description: "Plain output that reads well aloud.",
    group: "Model and output",
    since: "0.1"
  }
]
