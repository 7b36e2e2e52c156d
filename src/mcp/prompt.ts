/**
 * Prompts of servers as people use them, typed behind a name: which arguments were meant, what is missing, and the text
 * that is sent to the model in the end. All values are strings, as the protocol asks.
 */
import { Either, Option, Schema } from "effect"
import type { McpPrompt, McpPromptArgument } from "./listing.ts"
import type { McpAnswer } from "./mcp-hub.ts"

/** The name without white space, which would end it. */
export const promptCommandName = ({ name }: McpPrompt): string => name.trim().replace(/\s+/g, "-")

/** `--name="value"`, `--name=value` or a word; a quoted value may hold `\"`. */
const WORD = /--([^\s=]+)=(?:"((?:\\.|[^"\\])*)"|(\S*))|"((?:\\.|[^"\\])*)"|(\S+)/g

/**
 * Named arguments, and words for the required ones that are still missing, in their order. Exactly one missing takes
 * all remaining words. Left: the required arguments that nothing was given for.
 */
export const promptArguments = (
  { arguments: known }: McpPrompt,
  typed: string
): Either.Either<Readonly<Record<string, string>>, ReadonlyArray<McpPromptArgument>> => {
  const named: Record<string, string> = {}
  const words: Array<string> = []
  for (const [, name, quoted, plain, quotedWord, word] of typed.matchAll(WORD)) {
    if (name !== undefined) named[name] = quoted === undefined ? (plain ?? "") : unescaped(quoted)
    else words.push(quotedWord === undefined ? (word ?? "") : unescaped(quotedWord))
  }
  const missing = known.filter(({ name, required }) => required && !Object.hasOwn(named, name))
  const [only] = missing
  if (missing.length === 1 && only !== undefined && words.length > 0) {
    return Either.right({ ...named, [only.name]: words.join(" ") })
  }
  const filled = Object.fromEntries(missing.slice(0, words.length).map(({ name }, index) => [name, words[index] ?? ""]))
  const left = missing.slice(words.length)
  return left.length === 0 ? Either.right({ ...named, ...filled }) : Either.left(left)
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, "$1")

/** What `/<name> help` says: a line for each argument. */
export const promptHelp = (prompt: McpPrompt): string =>
  prompt.arguments.length === 0
    ? `/${promptCommandName(prompt)} takes no arguments.`
    : [
        `Arguments of /${promptCommandName(prompt)}:`,
        ...prompt.arguments.map(
          ({ description, name, required }) =>
            `  --${name}="..."${required ? " (required)" : ""}${description === "" ? "" : `  ${description}`}`
        )
      ].join("\n")

const Messages = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({ content: Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.String) }) })
  )
})

/** The texts of all messages. `None`: the server gave none that can be sent. */
export const promptText = (answer: McpAnswer): Option.Option<string> =>
  Option.flatMap(Schema.decodeUnknownOption(Messages)(answer), ({ messages }) => {
    const texts = messages.flatMap(({ content }) => (content.type === "text" ? (content.text ?? []) : []))
    return texts.length === 0 ? Option.none() : Option.some(texts.join("\n\n"))
  })

const Completion = Schema.Struct({ completion: Schema.Struct({ values: Schema.Array(Schema.String) }) })

/** Nothing where the answer has another form: completion is a convenience. */
export const readCompletion = (answer: McpAnswer): ReadonlyArray<string> =>
  Option.match(Schema.decodeUnknownOption(Completion)(answer), {
    onNone: () => [],
    onSome: ({ completion }) => completion.values
  })
