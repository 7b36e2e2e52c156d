/** Prompts of servers as commands: `/review --file=a.ts`. The server makes the text, the model gets it. */
import { Effect, Either, Option } from "effect"
import type { McpPrompt } from "../../mcp/listing.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { promptArguments, promptCommandName, promptHelp, promptText } from "../../mcp/prompt.ts"
import {
  type Candidate,
  type Command,
  type CommandResult,
  type Completion,
  type Invocation,
  print
} from "../command.ts"
import { CommandError, failed } from "../command-error.ts"
import type { Discovered } from "../command-registry.ts"

/** Those of the servers that are connected now. */
export const promptCommands: Effect.Effect<Discovered, never, McpHub> = Effect.gen(function* () {
  const hub = yield* McpHub
  const prompts = (yield* hub.servers).flatMap((server) => server.prompts)
  return { commands: prompts.map((prompt) => promptCommand(prompt, hub)), notices: [] }
})

const promptCommand = (prompt: McpPrompt, hub: McpHub["Type"]): Command => ({
  name: promptCommandName(prompt),
  description: prompt.description === "" ? `Prompt of the MCP server ${prompt.server}` : prompt.description,
  usage: prompt.arguments.map(({ name, required }) => (required ? `--${name}="..."` : `[--${name}="..."]`)).join(" "),
  source: { _tag: "McpPrompt", server: prompt.server },
  complete: (typed) => completion(prompt, hub, typed),
  run: (invocation) => run(prompt, hub, invocation)
})

const run = Effect.fnUntraced(function* (prompt: McpPrompt, hub: McpHub["Type"], { args }: Invocation) {
  if (args === "help") return print(promptHelp(prompt))
  const read = promptArguments(prompt, args)
  if (Either.isLeft(read)) {
    const missing = read.left.map(({ name }) => `--${name}`).join(", ")
    return yield* new CommandError({
      kind: "usage",
      detail: `/${promptCommandName(prompt)} needs ${missing}.`,
      advice: `/${promptCommandName(prompt)} help explains its arguments.`
    })
  }
  const answer = yield* Effect.mapError(hub.getPrompt(prompt.server, prompt.name, read.right), failed)
  const text = promptText(answer)
  if (Option.isNone(text)) {
    return yield* new CommandError({
      kind: "failed",
      detail: `MCP server "${prompt.server}" gave no text for the prompt ${prompt.name}.`
    })
  }
  return {
    _tag: "Submit",
    prompt: { text: text.value, parts: [{ text: text.value }] }
  } satisfies CommandResult as CommandResult
})

/** Names of arguments that are not there yet; behind `--name=`, the values that the server proposes. */
const completion = (prompt: McpPrompt, hub: McpHub["Type"], typed: string): Effect.Effect<Completion> => {
  const last = typed.slice(typed.lastIndexOf(" ") + 1)
  const from = typed.length - last.length
  const valued = /^--([^\s=]+)="?([^"]*)$/.exec(last)
  if (valued !== null) {
    const [, name = "", value = ""] = valued
    return hub.complete(prompt.server, prompt.name, { name, value }).pipe(
      Effect.orElseSucceed((): ReadonlyArray<string> => []),
      Effect.map((values) => ({ from, candidates: values.map((one): Candidate => ({ value: `--${name}="${one}"` })) }))
    )
  }
  const candidates = prompt.arguments
    .filter(({ name }) => !typed.includes(`--${name}=`) && `--${name}`.startsWith(last))
    .map(({ description, name }): Candidate => ({ value: `--${name}="`, hint: description }))
  return Effect.succeed({ from, candidates })
}
