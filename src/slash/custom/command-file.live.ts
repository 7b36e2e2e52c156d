/** Reads one TOML file of a custom command. Loaded only where there is one. */

import { basename } from "node:path"
import { Either } from "effect"
import { parse, TomlError } from "smol-toml"
import { messageOf } from "../../kernel/cause-chain.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { oneLine } from "../../kernel/one-line.ts"
import { positionAt } from "../../kernel/text-position.ts"
import { type CustomCommand, parseTemplate } from "./template.ts"

const MAX_DESCRIPTION = 100

interface CommandFile {
  readonly command: CustomCommand
  /** Fields that nobody reads, one line each. */
  readonly notes: ReadonlyArray<string>
}

const FIELDS = ["prompt", "description"]

/** Left: what is wrong, beginning with the file and where possible the line. */
export const readCommandFile = (file: string, text: string): Either.Either<CommandFile, string> =>
  Either.gen(function* () {
    const table = yield* Either.try({ try: () => parse(text), catch: (cause) => syntaxFault(file, cause) })
    const { description, prompt } = table
    if (typeof prompt !== "string") {
      const what = prompt === undefined ? "prompt is missing: it must hold the text to send" : "prompt must be a string"
      return yield* Either.left(`${file}:${keyLine(text, "prompt")}: ${what}`)
    }
    if (description !== undefined && typeof description !== "string") {
      return yield* Either.left(`${file}:${keyLine(text, "description")}: description must be a string`)
    }
    const pieces = yield* Either.mapLeft(
      parseTemplate(prompt),
      (fault) => `${file}:${keyLine(text, "prompt")}: ${fault}`
    )
    const unknown = Object.keys(table).filter((key) => !FIELDS.includes(key))
    return {
      command: {
        description: oneLine(description ?? `Custom command from ${basename(file)}`, MAX_DESCRIPTION),
        pieces
      },
      notes: unknown.map((key) => `${file}:${keyLine(text, key)}: ${unknownField(key)}`)
    }
  })

const unknownField = (key: string): string => {
  const near = closestName(key, FIELDS)
  return `${key}: there is no such field${near === undefined ? "" : ` (did you mean ${near}?)`}; ignored`
}

const syntaxFault = (file: string, cause: unknown): string => {
  const [message = ""] = messageOf(cause).split("\n")
  return `${file}:${cause instanceof TomlError ? cause.line : 1}: ${message.replace(/^Invalid TOML document: /, "")}`
}

/** The parser keeps no positions; 1 where the key does not stand by itself at the start of a line. */
const keyLine = (text: string, key: string): number => {
  const name = key.replace(/\W/g, "\\$&")
  const at = new RegExp(`^\\s*(?:"?${name}"?\\s*=|\\[+\\s*${name})`, "m").exec(text)
  return at === null ? 1 : positionAt(text, at.index + at[0].length).line
}
