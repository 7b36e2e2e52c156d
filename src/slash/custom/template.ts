/**
 * The prompt of a custom command, read once into its pieces: text, `{{args}}`, `@{path}` and `!{command}`. What a piece
 * brings in later is data and never read as a template, so no file and no output can run a command.
 */
import { Either } from "effect"
import { positionAt } from "../../kernel/text-position.ts"

export type TemplatePiece =
  | { readonly _tag: "Text"; readonly text: string }
  /** `name`: of one of several; absent: all of them. */
  | { readonly _tag: "Arguments"; readonly name?: string }
  /** `written`: as it stands in the prompt. */
  | { readonly _tag: "File"; readonly path: string; readonly written: string }
  | { readonly _tag: "Shell"; readonly command: string; readonly written: string }

/** What a file of a custom command says. */
export interface CustomCommand {
  readonly description: string
  readonly pieces: ReadonlyArray<TemplatePiece>
}

export const ARGUMENTS = "{{args}}"

/** Left: what is wrong, with the line inside the prompt. */
export const parseTemplate = (
  prompt: string,
  names: ReadonlyArray<string> = ["args"]
): Either.Either<ReadonlyArray<TemplatePiece>, string> => {
  const pieces: Array<TemplatePiece> = []
  let end = 0
  const opening = new RegExp(`\\{\\{(?:${names.map((name) => RegExp.escape(name)).join("|")})\\}\\}|[@!]\\{`, "g")
  for (let match = opening.exec(prompt); match !== null; match = opening.exec(prompt)) {
    if (match.index > end) pieces.push({ _tag: "Text", text: prompt.slice(end, match.index) })
    if (match[0].startsWith("{{")) {
      const name = match[0].slice(2, -2)
      pieces.push({ _tag: "Arguments", ...(name === "args" ? {} : { name }) })
      end = match.index + match[0].length
      continue
    }
    const close = closingBrace(prompt, match.index + 2)
    if (close === undefined) {
      const { line } = positionAt(prompt, match.index)
      return Either.left(`${match[0]} on line ${line} of the prompt has no closing brace`)
    }
    const inside = prompt.slice(match.index + 2, close).trim()
    end = close + 1
    opening.lastIndex = end
    const written = prompt.slice(match.index, end)
    if (inside === "") continue
    pieces.push(
      match[0] === "@{" ? { _tag: "File", path: inside, written } : { _tag: "Shell", command: inside, written }
    )
  }
  if (end < prompt.length) pieces.push({ _tag: "Text", text: prompt.slice(end) })
  return Either.right(pieces)
}

const closingBrace = (text: string, from: number): number | undefined => {
  let depth = 1
  for (let index = from; index < text.length; index++) {
    if (text[index] === "{") depth++
    if (text[index] === "}") depth--
    if (depth === 0) return index
  }
  return undefined
}

export const takesArguments = (pieces: ReadonlyArray<TemplatePiece>): boolean =>
  pieces.some(
    (piece) =>
      piece._tag === "Arguments" ||
      (piece._tag === "Shell" && piece.command.includes(ARGUMENTS)) ||
      (piece._tag === "File" && piece.path.includes(ARGUMENTS))
  )

/** By name; `args` are all of them. */
export type TemplateValues = ReadonlyMap<string, string>

/** The command with each argument as one word of the shell; without `args` there is no word. */
export const commandWith = (command: string, values: TemplateValues, platform: NodeJS.Platform): string =>
  filledIn(command, values, (value, name) => (name === "args" && value === "" ? "" : quoted(value, platform)))

/** What stands in a value is never filled in again. */
export const filledIn = (
  text: string,
  values: TemplateValues,
  form: (value: string, name: string) => string = (value) => value
): string =>
  text.replace(/\{\{([A-Za-z_][\w-]*)\}\}/g, (written, name: string) => {
    const value = values.get(name)
    return value === undefined ? written : form(value, name)
  })

const quoted = (text: string, platform: NodeJS.Platform): string =>
  platform === "win32" ? `'${text.replaceAll("'", "''")}'` : `'${text.replaceAll("'", "'\\''")}'`

/** A value is put into a command as one quoted word. Where quotes stand around that already, they would end. */
export const quotedPlaceholder = (command: string): string | undefined => {
  let quote: "'" | '"' | undefined
  let hasHereDocument = false
  for (let at = 0; at < command.length; at++) {
    const [, name] = /^\{\{([A-Za-z_][\w-]*)\}\}/.exec(command.slice(at)) ?? []
    if (name !== undefined && (quote !== undefined || hasHereDocument)) return name
    const character = command[at]
    if (character === "\\" && quote !== "'") at += 1
    else if (quote === undefined && command.startsWith("<<", at) && command[at + 2] !== "<") hasHereDocument = true
    else if (character === "'" || character === '"') {
      if (quote === undefined) quote = character
      else if (quote === character) quote = undefined
    }
  }
  return undefined
}
