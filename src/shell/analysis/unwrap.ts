/** Takes wrappers off a command, one form for each, and finds what its program would run in turn. */
import type { RawCommand } from "./collect.ts"
import { type Inside, insideProgram, nothingInside } from "./programs.ts"
import type { CommandForm, Opaque, Word } from "./shell-analysis.ts"
import { isAssignment, isHarmlessAlone, isHarmlessForCommand } from "./variables.ts"
import { resolveWord } from "./word.ts"
import { unwrapOnce } from "./wrappers.ts"

export interface Unwrapped {
  readonly name: string
  readonly forms: ReadonlyArray<CommandForm>
  readonly opaque: ReadonlyArray<Opaque>
  readonly inside: Inside
}

const MAX_WRAPPERS = 10

export const unwrap = (command: RawCommand): Unwrapped => {
  const forms: Array<CommandForm> = []
  const assignments = command.assignments.map(resolveWord)
  let words = command.words
  if (assignments.length > 0) {
    if (words.length === 0) return assignmentOnly(command, assignments)
    const isHarmless = command.assignments.every(isHarmlessForCommand)
    forms.push({ role: isHarmless ? "transparent" : "guarded", words: [...assignments, ...words] })
  }
  for (let step = 0; step < MAX_WRAPPERS; step++) {
    const opaque = unknownName(words)
    if (opaque !== undefined) return finish(forms, words, nothingInside, [opaque])
    const name = baseName(words[0]?.value ?? "")
    const inner = unwrapOnce(name, words)
    if (inner === undefined || inner._tag === "NoCommand") {
      return finish(forms, words, insideProgram(name, words, inputOf(command)), [])
    }
    if (inner._tag === "Unclear") return finish(forms, words, nothingInside, [inner.opaque])
    forms.push({ role: inner.role, words })
    words = inner.words
  }
  return finish(forms, words, nothingInside, [{ kind: "too-complex", detail: "too many wrappers around a command" }])
}

/** The file name of a program path: rules that forbid `rm` mean `/bin/rm` too. */
export const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1)

const finish = (
  outer: ReadonlyArray<CommandForm>,
  words: ReadonlyArray<Word>,
  inside: Inside,
  opaque: ReadonlyArray<Opaque>
): Unwrapped => ({
  name: words[0]?.value ?? "",
  forms: [...outer, { role: inside.isCarrier ? "carrier" : "program", words }],
  opaque: [...opaque, ...inside.opaque, ...malformed(words)],
  inside
})

const assignmentOnly = (command: RawCommand, words: ReadonlyArray<Word>): Unwrapped => ({
  name: "",
  forms: [{ role: command.assignments.every(isHarmlessAlone) ? "transparent" : "program", words }],
  opaque: [],
  inside: nothingInside
})

const malformed = (words: ReadonlyArray<Word>): ReadonlyArray<Opaque> =>
  words.some((word) => word.isMalformed)
    ? [{ kind: "ambiguous", detail: "a word with an unquoted operator in it" }]
    : []

/** Where the grammar takes one of these for a program, bash reads a structure that the grammar did not see. */
const RESERVED = new Set([
  ...["if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "in"],
  ...["function", "{", "}", "!", "((", "))", "]]"]
])

const unknownName = (words: ReadonlyArray<Word>): Opaque | undefined => {
  const first = words[0]
  if (first === undefined) return undefined
  const shown = first.raw.length > 60 ? `${first.raw.slice(0, 60)}…` : first.raw
  if (RESERVED.has(first.raw)) return { kind: "ambiguous", detail: `\`${shown}\` where a program is expected` }
  if (first.dynamic.length > 0) return { kind: "dynamic-command", detail: `the program \`${shown}\` is computed` }
  if (first.hasGlob && first.value !== "[" && first.value !== "[[") {
    return { kind: "dynamic-command", detail: `the program \`${shown}\` is a pattern` }
  }
  if (first.hasAnsiC) return { kind: "ansi-c-quoting", detail: `the program \`${shown}\` is written in escapes` }
  if (isAssignment(first.raw)) return { kind: "ambiguous", detail: `\`${shown}\` where a program is expected` }
  if (first.value === "" || /^=|\p{Cc}/u.test(first.value)) {
    return { kind: "dynamic-command", detail: `\`${shown}\` is no plain program name` }
  }
  return undefined
}

const inputOf = (command: RawCommand) => ({
  readsPipe: command.readsPipe,
  documents: command.input,
  readsFile: command.redirections.some(
    (redirection) => redirection.access === "read" && redirection.target !== undefined
  )
})
