/**
 * Judges one program with its words: finds its table, reads the call by it, takes wrappers off, and compares every path
 * with what may be read. Each thing that is not known to be reading is a doubt.
 */
import { kernelPath } from "../../files/real-path.ts"
import { type CallReading, parseCall, type ReadCall } from "./parse-call.ts"
import { pathDoubt, pathsInRevision } from "./path-doubt.ts"
import { programTable } from "./program-list.ts"
import {
  type CallPlace,
  type CallWord,
  has,
  natureOf,
  type OperandSpec,
  type ParsedCall,
  type ProgramEffect,
  type ProgramTable,
  type ValueKind
} from "./program-table.ts"
import type { Doubt, ReadingPlace } from "./reading.ts"

export interface JudgedCall {
  readonly doubts: ReadonlyArray<Doubt>
  readonly inner: ReadonlyArray<CallWord>
  /** The innermost call as its table reads it; absent where no table does. */
  readonly call: ReadCall | undefined
}

const MAX_WRAPPERS = 8
const EFFECT_WORDS: Readonly<Record<ProgramEffect, string>> = {
  reads: "reads",
  reaches: "reads more than the paths that are named",
  writes: "writes",
  runs: "runs other programs",
  connects: "uses the network"
}

/** `folders`: every folder that may be the working folder. */
export const judgeCall = (
  words: ReadonlyArray<CallWord>,
  folders: ReadonlyArray<string> | undefined,
  place: ReadingPlace
): JudgedCall => {
  const doubts: Array<Doubt> = posixDoubts(place)
  let inner = words
  /** A program runs it, which knows nothing of the builtins of the shell. */
  let isExecuted = false
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const found = tableFor(inner[0], place, isExecuted)
    if (!("table" in found)) return { doubts: [...doubts, found], inner, call: undefined }
    if (found.doubt !== undefined) doubts.push(found.doubt)
    const read = readCall(found.table, inner)
    if ("refusal" in read.call) {
      const doubt: Doubt =
        found.table.isOpenEnded === true ? notKnown(found.table.name) : { kind: "argument", ...read.call.refusal }
      return { doubts: [...doubts, doubt], inner, call: undefined }
    }
    const { call } = read
    const own = [...optionDoubts(call)]
    // Where an option is not known, neither is the place at which the inner command begins.
    if (call.table.wraps !== undefined && call.unlisted.length > 0) {
      return { doubts: [...doubts, ...own], inner, call: undefined }
    }
    const { wraps } = call.table
    if (wraps === undefined || has(call, ...(wraps.unless ?? []))) {
      const moved = movedFolders(call, folders, place)
      own.push(...moved.doubts, ...refusalDoubts(call, { ...place, folders: moved.folders }))
      own.push(...natureDoubts(call), ...pathDoubts(call, moved.folders, guarded(call, place)))
      if (own.length > 0 && found.table.isOpenEnded === true)
        return { doubts: [...doubts, notKnown(found.table.name)], inner, call: undefined }
      return { doubts: [...doubts, ...own], inner: withoutOwnOptions(inner, read), call }
    }
    doubts.push(...own, ...refusalDoubts(call, { ...place, folders }))
    const rest = innerOf(inner.slice(1 + call.restAt), wraps)
    if ("why" in rest) return { doubts: [...doubts, rest], inner, call }
    doubts.push(...rest.doubts)
    // `env` and `timeout 5` alone run nothing.
    const command = rest.words.length === 0 && wraps.otherwise !== undefined ? [exact(wraps.otherwise)] : rest.words
    if (command.length === 0) return { doubts: [...doubts, noCommand(call.table)], inner, call }
    inner = withInput(command, wraps.adds?.(call))
    isExecuted ||= call.table.isBuiltin !== true
  }
  return {
    doubts: [...doubts, { kind: "argument", effect: "unknown", why: "too many wrappers around a command" }],
    inner,
    call: undefined
  }
}

/** It makes most programs end their options at the first operand, and the shell another shell. */
const posixDoubts = ({ variables }: ReadingPlace): Array<Doubt> =>
  variables.POSIXLY_CORRECT === undefined
    ? []
    : [{ kind: "environment", why: "`POSIXLY_CORRECT` changes how words are read" }]

const notKnown = (name: string): Doubt => ({
  kind: "program",
  why: `\`${name}\` is not a program that is known to read only`
})

const noCommand = ({ name }: ProgramTable): Doubt => ({
  kind: "argument",
  effect: "unknown",
  why: `\`${name}\` without a command`
})

const exact = (text: string): CallWord => ({ text, isExact: true })

/** More words than any table gives a place of their own. */
const ADDED: ReadonlyArray<CallWord> = Array.from({ length: 4 }, () => ({ text: "", isExact: false }))

const withInput = (
  words: ReadonlyArray<CallWord>,
  added: { readonly mark: string | undefined } | undefined
): ReadonlyArray<CallWord> => {
  if (added === undefined) return words
  const { mark } = added
  if (mark === undefined) return [...words, ...ADDED]
  return words.map((word) => {
    const at = word.text.indexOf(mark)
    return at === -1 ? word : { text: word.text.slice(0, at), isExact: false }
  })
}

const tableFor = (
  name: CallWord | undefined,
  place: ReadingPlace,
  isExecuted: boolean
): { readonly table: ProgramTable; readonly doubt?: Doubt } | Doubt => {
  if (name === undefined || !name.isExact || name.isUnordered === true)
    return { kind: "program", why: "the name of the program is computed" }
  const shown = name.text.length > 60 ? `${name.text.slice(0, 60)}…` : name.text
  const isPath = name.text.includes("/")
  // A path is taken only where it is one of the system's, without detours: `/usr/bin/../../tmp/ls` is none.
  const base = isPath ? name.text.slice(name.text.lastIndexOf("/") + 1) : name.text
  const table = programTable(base)
  if (table === undefined || (isPath && table.isBuiltin === true)) return notKnown(shown)
  if (table.isBuiltin === true && !isExecuted) return { table }
  const strange = [name.text, ...(table.starts ?? []), ...(table.mayStart ?? [])]
    .map((one) => ({ one, origin: place.programOrigin(one) }))
    .find(({ one, origin }) => origin !== "system" && !(origin === "nowhere" && table.mayStart?.includes(one) === true))
  if (strange === undefined) return { table }
  if (table.isOpenEnded === true) return notKnown(shown)
  if (strange.one === name.text && isPath)
    return { kind: "lookup", isOwn: false, why: `\`${shown}\` is not a program of the system` }
  const isOwn = strange.origin === "own"
  const named = strange.one === name.text ? shown : strange.one
  const doubt: Doubt = { kind: "lookup", isOwn, why: `the name \`${named}\` does not lead to a program of the system` }
  // Of one's own program the table holds too: a rule that names it opens no options.
  return isOwn ? { table, doubt } : doubt
}

interface ReadProgram {
  readonly call: ReturnType<typeof parseCall>
  /** Options of the program before its sub-command, which are not part of the command that a rule names. */
  readonly outer: ReadCall | undefined
}

const readCall = (table: ProgramTable, words: ReadonlyArray<CallWord>): ReadProgram => {
  const args = words.slice(1)
  const call = parseCall(table, args)
  if ("refusal" in call || table.subcommands === undefined) return { call, outer: undefined }
  return { call: readSubcommand(table, call, args), outer: call.unlisted.length > 0 ? undefined : call }
}

const readSubcommand = (table: ProgramTable, call: CallReading, args: ReadonlyArray<CallWord>): CallReading => {
  const { withoutSubcommand } = table
  if ("refusal" in call || table.subcommands === undefined) return call
  // An option that is not its own begins the words of what it does without a sub-command.
  if (call.unlisted.length > 0)
    return withoutSubcommand === undefined ? call : parseCall({ ...withoutSubcommand, name: table.name }, args)
  const name = args[call.restAt]
  const sub =
    name?.isExact === true && name.isUnordered !== true && Object.hasOwn(table.subcommands, name.text)
      ? table.subcommands[name.text]
      : undefined
  if (sub === undefined) {
    if (withoutSubcommand !== undefined && name?.isExact !== false)
      return parseCall({ ...withoutSubcommand, name: table.name }, args)
    // `git --version` needs none.
    if (name === undefined && call.options.length > 0) return call
    const shown = name?.isExact === true ? `\`${table.name} ${name.text}\`` : `a sub-command of \`${table.name}\``
    return { refusal: { effect: "unknown", why: `${shown} is not known to read only` } }
  }
  const named = { ...sub, name: `${table.name} ${sub.name}` }
  const rest = args.slice(call.restAt + 1)
  const inner = readSubcommand(named, parseCall(named, rest), rest)
  if ("refusal" in inner) return inner
  const options = [...call.options, ...inner.options]
  return { ...inner, options, unlisted: [...call.unlisted, ...inner.unlisted] }
}

/** `git --no-pager log` as `git log`, where the options before it only read. */
const withoutOwnOptions = (words: ReadonlyArray<CallWord>, { outer }: ReadProgram): ReadonlyArray<CallWord> => {
  const isPlain = outer?.options.every(
    ({ spec }) => (spec.effect ?? "reads") === "reads" && (spec.value ?? "text") === "text"
  )
  return outer === undefined || isPlain !== true ? words : [...words.slice(0, 1), ...words.slice(1 + outer.restAt)]
}

const optionDoubts = (call: ReadCall): ReadonlyArray<Doubt> => [
  ...call.unlisted.map((unlisted): Doubt => ({ kind: "option", effect: "unknown", ...unlisted })),
  ...call.options.flatMap(({ name, spec }): ReadonlyArray<Doubt> => {
    const effect = spec.value === "output" ? "writes" : (spec.effect ?? "reads")
    if (effect === "reads" || natureOf(call).includes(effect)) return []
    return [{ kind: "option", option: name, effect, why: `\`${call.table.name} ${name}\` ${EFFECT_WORDS[effect]}` }]
  })
]

const refusalDoubts = (call: ParsedCall, place: CallPlace): ReadonlyArray<Doubt> => {
  const refusal = call.table.refuses?.(call, place)
  return refusal === undefined ? [] : [{ kind: "argument", ...refusal }]
}

const natureDoubts = (call: ParsedCall): ReadonlyArray<Doubt> =>
  natureOf(call)
    .filter((effect) => effect !== "reads")
    .map((effect) => ({ kind: "nature", effect, why: `\`${call.table.name}\` ${EFFECT_WORDS[effect]}` }))

/** Where the program works that is told to begin elsewhere: `git -C sub status`. */
const movedFolders = (
  call: ParsedCall,
  folders: ReadonlyArray<string> | undefined,
  place: ReadingPlace
): { readonly folders: ReadonlyArray<string> | undefined; readonly doubts: ReadonlyArray<Doubt> } => {
  let moved = folders
  const doubts: Array<Doubt> = []
  for (const { spec, value } of call.options) {
    if (spec.value !== "folder" || value === undefined) continue
    const doubt = pathDoubt(value, "names", moved, place)
    if (doubt !== undefined) doubts.push(doubt)
    const next: ReadonlyArray<string> | undefined = moved?.flatMap((folder) => kernelPath(folder, value.text) ?? [])
    moved = doubt !== undefined || next?.length !== moved?.length ? undefined : next
  }
  return { folders: moved, doubts }
}

/** What it passes over it does not read. */
const guarded = (call: ParsedCall, place: ReadingPlace): ReadingPlace => {
  const { passesOverUnless } = call.table
  const passesOver = place.isGuarded === true && passesOverUnless !== undefined && !has(call, ...passesOverUnless)
  return passesOver ? { ...place, holdsClosed: () => false } : place
}

const operandsOf = (call: ParsedCall): OperandSpec =>
  (typeof call.table.operands === "function" ? call.table.operands(call) : call.table.operands) ?? { rest: "none" }

interface Used {
  readonly value: CallWord
  readonly kind: ValueKind
}

const pathDoubts = (
  call: ParsedCall,
  folders: ReadonlyArray<string> | undefined,
  place: ReadingPlace
): ReadonlyArray<Doubt> => {
  const spec = operandsOf(call)
  const first = spec.first ?? []
  const doubts: Array<Doubt> = []
  const used: Array<Used> = call.options.flatMap(({ spec: { value: kind = "text" }, value }) =>
    value === undefined ? [] : [{ value, kind }]
  )
  for (const [index, value] of call.operands.entries()) {
    const kind = first[index] ?? spec.rest
    if (kind === "none")
      doubts.push({ kind: "argument", effect: "unknown", why: `\`${call.table.name}\` with more words than are known` })
    else used.push({ value, kind })
    if (index < first.length && value.isUnordered === true)
      doubts.push({ kind: "word", why: "which name of a pattern comes first is not known" })
  }
  const hasRest = call.operands.length > first.length
  if (!hasRest && spec.otherwise !== undefined) used.push({ value: { text: ".", isExact: true }, kind: spec.otherwise })
  for (const { kind, value } of used) {
    // That it writes is already said.
    if (kind === "text" || kind === "folder" || (kind === "output" && natureOf(call).includes("writes"))) continue
    for (const path of kind === "revision" ? pathsInRevision(value) : [value]) {
      const doubt = pathDoubt(path, kind, folders, place)
      if (doubt !== undefined) doubts.push(doubt)
    }
  }
  return doubts
}

const innerOf = (
  rest: ReadonlyArray<CallWord>,
  wraps: NonNullable<ProgramTable["wraps"]>
):
  | { readonly words: ReadonlyArray<CallWord>; readonly doubts: ReadonlyArray<Doubt> }
  | Extract<Doubt, { readonly kind: "word" }> => {
  const doubts: Array<Doubt> = []
  let at = 0
  for (let word = rest[at]; wraps.takesAssignments === true && word !== undefined; word = rest[at]) {
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.text)
    if (assigned === null) {
      if (!word.isExact || word.text.includes("=")) return { kind: "word", why: "a word that may be an assignment" }
      break
    }
    const doubt = environmentDoubt(assigned[1] ?? "", { text: assigned[2] ?? "", isExact: word.isExact })
    if (doubt !== undefined) doubts.push(doubt)
    at++
  }
  for (let operand = 0; operand < wraps.operands; operand++, at++) {
    const word = rest[at]
    if (word !== undefined && (!word.isExact || word.isUnordered === true))
      return { kind: "word", why: "an argument of a wrapper is computed" }
  }
  return { words: rest.slice(at), doubts }
}

/** Variables that change how something is printed, and nothing else, with values that name no file. */
const HARMLESS = /^(?:CI|COLUMNS|FORCE_COLOR|CLICOLOR|LANG|LANGUAGE|LC_[A-Z]+|LINES|NO_COLOR|TERM|TZ)$/
const HARMLESS_VALUE = /^[\w.@+-]*$/
const TIME_ZONE = /^[A-Za-z]+(?:\/[A-Za-z_]+)*$|^[A-Z]+[+-]?\d*$/

/** Why a command may not run unasked with this variable set for it. */
export const environmentDoubt = (name: string, value: CallWord): Doubt | undefined => {
  const isPlain = value.isExact && (name === "TZ" ? TIME_ZONE : HARMLESS_VALUE).test(value.text)
  return HARMLESS.test(name) && isPlain
    ? undefined
    : { kind: "environment", why: `the variable \`${name}\` is set for it` }
}
