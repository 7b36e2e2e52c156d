/**
 * What each field of a hook's answer does to the work on one prompt, as a table: the same rows go through headless runs
 * and through one conversation at a terminal. The model is asked for one file, and then says that it is done.
 */
import { answering, specific } from "./hook-run.ts"
import { ask, call, type Reply, say } from "./replies.ts"

export interface HookRow {
  readonly what: string
  /** A command by event. */
  readonly hooks: Readonly<Record<string, string>>
  /** Absent: the file is written, and that is all. */
  readonly replies?: (file: string) => ReadonlyArray<Reply>
  /** Requests that the model gets. */
  readonly requests: number
  /** What is in the file then; absent: it is not written. */
  readonly writes?: string
  /** Words that the person sees, and words that they do not. */
  readonly shows: ReadonlyArray<string>
  readonly hides?: ReadonlyArray<string>
  /** Words in the last request, its instructions left out. */
  readonly told?: ReadonlyArray<string>
  readonly untold?: ReadonlyArray<string>
  /** The model of the last request. */
  readonly model?: string
}

const STOP = { continue: false, stopReason: "enough" }
const DENY = { decision: "deny", reason: "enough" }
const BLOCK = { decision: "block", reason: "enough" }
const STOPPED = "Agent execution stopped: enough"
const BLOCKED = "Agent execution blocked: enough"

export const work = (file: string): ReadonlyArray<Reply> => [
  ask(call("write_file", { file_path: file, content: "as asked" })),
  say("all done")
]
const workTwice = (file: string) => [...work(file), say("done again")]
const badWords = () => [say("bad words")]

/** Work that nothing disturbs. */
const UNWRITTEN = { requests: 2, shows: ["all done"] } as const
const WHOLE = { ...UNWRITTEN, writes: "as asked" } as const
const UNASKED = { requests: 0, hides: ["all done"] } as const

const said = (words: string) => ({ llm_response: { candidates: [{ content: { role: "model", parts: [words] } }] } })

/** Only to the first answer, or it would be refused for ever. */
const once = (output: object): string => `if grep -q '"stop_hook_active":false'; then ${answering(output)}; fi`

export const HOOK_ROWS: ReadonlyArray<HookRow> = [
  { what: "BeforeAgent continue:false", hooks: { BeforeAgent: answering(STOP) }, ...UNASKED, shows: [STOPPED] },
  { what: "BeforeAgent deny", hooks: { BeforeAgent: answering(DENY) }, ...UNASKED, shows: [BLOCKED] },
  { what: "BeforeAgent block", hooks: { BeforeAgent: answering(BLOCK) }, ...UNASKED, shows: [BLOCKED] },
  {
    what: "BeforeAgent additionalContext",
    hooks: { BeforeAgent: specific({ additionalContext: "privy <words>" }) },
    ...WHOLE,
    told: ["<hook_context>privy &lt;words&gt;</hook_context>"],
    hides: ["privy"]
  },

  { what: "AfterAgent continue:false", hooks: { AfterAgent: answering(STOP) }, ...WHOLE, shows: ["all done", STOPPED] },
  {
    what: "AfterAgent deny",
    hooks: { AfterAgent: once({ decision: "deny", reason: "write tests" }) },
    replies: workTwice,
    requests: 3,
    writes: "as asked",
    shows: ["done again"],
    told: ["write tests", "make the thing"]
  },
  {
    what: "AfterAgent deny, clearContext",
    hooks: { AfterAgent: once({ ...DENY, reason: "anew", hookSpecificOutput: { clearContext: true } }) },
    replies: workTwice,
    requests: 3,
    writes: "as asked",
    shows: ["done again"],
    told: ["anew", "<session_context>"],
    untold: ["make the thing"]
  },
  {
    what: "AfterAgent continue:false, clearContext",
    hooks: { AfterAgent: answering({ ...STOP, hookSpecificOutput: { clearContext: true } }) },
    ...WHOLE,
    shows: ["all done", `${STOPPED} (the conversation was cleared)`]
  },
  {
    what: "AfterAgent clearContext alone",
    hooks: { AfterAgent: specific({ clearContext: true }) },
    ...WHOLE,
    hides: ["was cleared"]
  },

  { what: "BeforeModel continue:false", hooks: { BeforeModel: answering(STOP) }, ...UNASKED, shows: [STOPPED] },
  { what: "BeforeModel block", hooks: { BeforeModel: answering(BLOCK) }, ...UNASKED, shows: [BLOCKED] },
  {
    what: "BeforeModel llm_request",
    hooks: { BeforeModel: specific({ llm_request: { model: "gemini-2.5-flash", config: { temperature: 0.25 } } }) },
    ...WHOLE,
    model: "gemini-2.5-flash",
    told: ['"temperature":0.25']
  },
  {
    what: "BeforeModel llm_response",
    hooks: { BeforeModel: specific(said("from the cache")) },
    ...UNASKED,
    shows: ["from the cache"],
    hides: ["execution blocked"]
  },
  {
    what: "BeforeModel llm_response, deny",
    hooks: { BeforeModel: answering({ ...DENY, hookSpecificOutput: said("from the cache") }) },
    ...UNASKED,
    shows: ["from the cache", BLOCKED]
  },

  {
    what: "BeforeToolSelection continue:false, deny",
    hooks: { BeforeToolSelection: answering({ ...STOP, ...DENY }) },
    ...WHOLE,
    hides: ["enough"]
  },
  {
    what: "BeforeToolSelection NONE",
    hooks: { BeforeToolSelection: specific({ toolConfig: { mode: "NONE" } }) },
    ...WHOLE,
    told: ['"functionCallingConfig":{"mode":"NONE"}']
  },
  {
    what: "BeforeToolSelection ANY",
    hooks: { BeforeToolSelection: specific({ toolConfig: { mode: "ANY", allowedFunctionNames: ["glob"] } }) },
    ...WHOLE,
    told: ['"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}']
  },
  {
    what: "BeforeToolSelection AUTO",
    hooks: { BeforeToolSelection: specific({ toolConfig: { mode: "AUTO", allowedFunctionNames: ["glob"] } }) },
    ...WHOLE,
    told: ['"name":"glob"'],
    untold: ['"name":"read_file"', "functionCallingConfig"]
  },

  {
    what: "AfterModel continue:false",
    hooks: { AfterModel: answering(STOP) },
    replies: badWords,
    requests: 1,
    shows: [STOPPED],
    hides: ["bad words"]
  },
  {
    what: "AfterModel deny",
    hooks: { AfterModel: answering(DENY) },
    replies: badWords,
    requests: 1,
    shows: [BLOCKED],
    hides: ["bad words"]
  },
  {
    what: "AfterModel llm_response",
    hooks: { AfterModel: specific(said("clean words")) },
    ...WHOLE,
    shows: ["clean words"],
    hides: ["all done"],
    told: ['"text":"clean words"']
  },

  {
    what: "BeforeTool continue:false",
    hooks: { BeforeTool: answering(STOP) },
    requests: 1,
    shows: [STOPPED]
  },
  {
    what: "BeforeTool deny",
    hooks: { BeforeTool: answering(DENY) },
    ...UNWRITTEN,
    told: ["Tool execution blocked: a hook refused it: enough"]
  },
  {
    what: "BeforeTool block",
    hooks: { BeforeTool: answering(BLOCK) },
    ...UNWRITTEN,
    told: ["Tool execution blocked: a hook refused it: enough"]
  },
  {
    what: "BeforeTool tool_input",
    hooks: { BeforeTool: specific({ tool_input: { content: "by the hook" } }) },
    ...WHOLE,
    writes: "by the hook",
    told: ["[A hook changed arguments of this call before it ran: content.]"]
  },
  {
    what: "BeforeTool tool_input that is wrong",
    hooks: { BeforeTool: specific({ tool_input: { file_path: 5 } }) },
    ...UNWRITTEN,
    told: ["file_path"]
  },

  {
    what: "AfterTool continue:false",
    hooks: { AfterTool: answering(STOP) },
    requests: 1,
    writes: "as asked",
    shows: [STOPPED]
  },
  {
    what: "AfterTool deny",
    hooks: { AfterTool: answering(DENY) },
    ...WHOLE,
    told: ["The result was refused by a hook: enough"]
  },
  {
    what: "AfterTool additionalContext",
    hooks: { AfterTool: specific({ additionalContext: "formatted <it>" }) },
    ...WHOLE,
    told: ["<hook_context>formatted &lt;it&gt;</hook_context>"]
  },
  {
    what: "AfterTool tailToolCallRequest",
    hooks: {
      AfterTool: `if grep -q '"tool_name":"write_file"'; then ${specific({
        tailToolCallRequest: { name: "run_shell_command", args: { command: "echo from the tail" } }
      })}; fi`
    },
    ...WHOLE,
    told: ["from the tail", '"functionResponse":{"id":']
  }
]
