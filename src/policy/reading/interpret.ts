/**
 * Plays a plain line without running it: follows the working folder and the variables through chains, branches and loops,
 * and judges each command in every state it may run in.
 */
import { kernelPath } from "../../files/real-path.ts"
import {
  commandsIn,
  type PlainCommand,
  type PlainRedirection,
  type PlainScript,
  type PlainStep,
  type PlainWord,
  type WordPart
} from "../../shell/plain/plain-script.ts"
import { isPlain, readPlain } from "../../shell/plain/read-plain.ts"
import { expandPattern, expandWord, PLAIN_VALUE, variableValues } from "./expand-word.ts"
import { type Found, FoundCommands, merged } from "./found-commands.ts"
import { environmentDoubt, judgeCall } from "./judge-call.ts"
import { programTable } from "./program-list.ts"
import type { CallWord } from "./program-table.ts"
import type { Doubt, ReadingPlace, RedirectedFile, UnderstoodCommand } from "./reading.ts"
import { assignmentDoubt, changed, either, isSame, type ShellState, UNKNOWN, type Values } from "./shell-state.ts"
import { afterCall } from "./working-folder.ts"

const MAX_ALTERNATIVES = 64
const MAX_ROUNDS = 4
const MAX_SCRIPT_DEPTH = 4

export class Play {
  private readonly found = new FoundCommands()
  private readonly place: ReadingPlace
  private readonly depth: number

  constructor(place: ReadingPlace, depth: number) {
    this.place = place
    this.depth = depth
  }

  whole(script: PlainScript, state: ShellState): ReadonlyArray<UnderstoodCommand> {
    this.script(script, state)
    return this.found.all()
  }

  private script(script: PlainScript, state: ShellState): ShellState {
    return script.steps.reduce((before, step) => this.step(step, before), state)
  }

  private step(step: PlainStep, state: ShellState): ShellState {
    switch (step._tag) {
      case "Command":
        return this.command(step, state)
      case "Chain": {
        let after = this.step(step.first, state)
        for (const link of step.rest) after = either(after, this.step(link.step, after))
        return after
      }
      case "Pipeline":
        for (const part of step.parts) this.step(part, state)
        return state
      case "Group": {
        const after = this.script(step.body, state)
        this.around(step.body, step.redirections, state)
        return step.isSubshell ? state : after
      }
      case "If": {
        let tested = state
        const ends: Array<ShellState> = []
        for (const { body, condition } of step.branches) {
          tested = this.script(condition, tested)
          ends.push(this.script(body, tested))
          this.around(condition, step.redirections, state)
          this.around(body, step.redirections, state)
        }
        this.around(step.otherwise, step.redirections, state)
        return ends.reduce(either, this.script(step.otherwise, tested))
      }
      case "For": {
        for (const item of step.items) this.substitutions(item, state)
        const items = step.items.flatMap((item) => this.expand(item, state)?.flat() ?? [UNKNOWN]).map(alone)
        const values: Values = items.length === 0 ? [UNKNOWN] : items
        return this.loop(state, step.body, step.redirections, (before) => {
          const variables = new Map(before.variables).set(step.variable, values)
          const hidden = step.items.flatMap((item) => this.hiddenIn(item, state) ?? this.listedBy(item, state) ?? [])[0]
          const doubt = assignmentDoubt(step.variable, this.place) ?? hidden
          return this.script(step.body, { ...before, variables, doubt: doubt ?? before.doubt })
        })
      }
      case "While":
        this.around(step.condition, step.redirections, state)
        return this.loop(state, step.body, step.redirections, (before) =>
          this.script(step.body, this.script(step.condition, before))
        )
    }
  }

  /** Round after round until nothing new can be the case; a loop that never settles is not understood. */
  private loop(
    start: ShellState,
    body: PlainScript,
    redirections: ReadonlyArray<PlainRedirection>,
    round: (state: ShellState) => ShellState
  ): ShellState {
    let state = start
    for (let count = 0; count < MAX_ROUNDS; count++) {
      const next = either(state, round(state))
      if (isSame(state, next)) {
        this.around(body, redirections, start)
        return next
      }
      state = next
    }
    const lost: ShellState = {
      ...state,
      folders: undefined,
      doubt: { kind: "state", why: "a loop changes the state of the shell" }
    }
    round(lost)
    this.around(body, redirections, lost)
    return lost
  }

  /** Redirections of a group are those of each command in it. */
  private around(script: PlainScript, redirections: ReadonlyArray<PlainRedirection>, state: ShellState): void {
    const files = redirections.flatMap((redirection) => this.redirected(redirection, state))
    if (redirections.length === 0) return
    const hidden = targetsOf(redirections).flatMap((target) => this.hiddenIn(target, state) ?? [])
    for (const command of commandsIn(script.steps)) {
      const found = this.found.get(command)
      for (const file of files) found?.redirections.set(file.text, file)
      for (const one of hidden) found?.doubts.set(`${one.kind} ${one.why}`, one)
    }
  }

  private command(command: PlainCommand, state: ShellState): ShellState {
    const found = this.found.of(command)
    const doubt = (...doubts: ReadonlyArray<Doubt>) => {
      for (const one of doubts) found.doubts.set(`${one.kind} ${one.why}`, one)
    }
    for (const word of wordsOf(command)) this.substitutions(word, state)
    for (const word of [...wordsOf(command), ...targetsOf(command.redirections)]) {
      const hidden = this.hiddenIn(word, state)
      if (hidden !== undefined) doubt(hidden)
    }
    for (const redirection of command.redirections) {
      for (const file of this.redirected(redirection, state)) found.redirections.set(file.text, file)
    }
    if (state.doubt !== undefined) doubt(state.doubt)
    if (command.words.length === 0) {
      found.isKnown = true
      return this.assign(command, state, doubt)
    }
    for (const { name, value } of command.assignments) {
      for (const one of this.expand(value, state)?.flat() ?? [UNKNOWN]) {
        const why = environmentDoubt(name, one)
        if (why !== undefined) doubt(why)
      }
    }
    const calls = this.callsOf(command.words, state)
    if (calls === undefined) {
      const [first] = this.expand(command.words[0] ?? { parts: [], raw: "" }, state) ?? []
      found.words = found.inner = first ?? [UNKNOWN]
      found.calls = undefined
      const [name] = found.words
      const table = name?.isExact === true ? programTable(name.text) : undefined
      found.isKnown ||= name?.isExact !== true || table !== undefined
      doubt({ kind: "word", why: "how many words there are is known only when it runs" })
      // Nobody has looked at what it is: a rule on another program behind it says nothing of it (`./nice jq $(ls)`).
      if (table === undefined) doubt({ kind: "program", why: "a program that is not known, with words that are not" })
      // `cd`, or `command` with any builtin behind it.
      const mayMove = table?.isBuiltin === true && (table.name === "cd" || table.wraps !== undefined)
      return changed(state, mayMove ? UNKNOWN : name)
    }
    found.calls = found.calls && [...found.calls, ...calls.map((words) => ({ words, folders: state.folders }))]
    let after: ShellState | undefined
    for (const words of calls) {
      const judged = judgeCall(words, state.folders, this.place)
      found.words = words
      found.inner = judged.inner
      found.isKnown ||=
        judged.call !== undefined || judged.doubts.some(({ kind }) => kind === "option" || kind === "argument")
      doubt(...judged.doubts)
      const script = judged.call === undefined ? undefined : scriptOf(judged.call)
      if (script !== undefined) doubt(...this.nestedScript(script, judged.inner, state, found))
      const { doubt: lost, state: next } = afterCall(judged.inner, state, this.place)
      if (lost !== undefined) doubt(lost)
      after = after === undefined ? next : either(after, next)
    }
    return after ?? state
  }

  private assign(
    command: PlainCommand,
    state: ShellState,
    doubt: (...doubts: ReadonlyArray<Doubt>) => void
  ): ShellState {
    const variables = new Map(state.variables)
    let lasting = state.doubt
    for (const { name, value } of command.assignments) {
      const why = assignmentDoubt(name, this.place)
      if (why !== undefined) {
        doubt(why)
        lasting = why
      }
      // Assignments are not split: one word stays one.
      variables.set(name, this.expand(quoted(value), { ...state, variables })?.flat() ?? [UNKNOWN])
    }
    return { ...state, variables, doubt: lasting }
  }

  private nestedScript(
    text: CallWord,
    shell: ReadonlyArray<CallWord>,
    state: ShellState,
    found: Found
  ): ReadonlyArray<Doubt> {
    if (!text.isExact) return [{ kind: "script", why: "a script that is known only when it runs" }]
    if (this.depth >= MAX_SCRIPT_DEPTH) return [{ kind: "script", why: "scripts in scripts, too deep" }]
    const dialect = shell[0]?.text === "bash" || shell[0]?.text.endsWith("/bash") === true ? "bash" : "sh"
    const read = readPlain(text.text, dialect)
    if (!isPlain(read)) return [{ kind: "script", why: read.detail }]
    // A shell of its own: it sees the folder, and only what is exported of the variables.
    // A login shell runs files of the user first, which may set the environment anew.
    const isLogin = shell.some((word) => /^-\w*l/.test(word.text))
    const place = isLogin ? { ...this.place, isGuarded: false } : this.place
    const inside = new Play(place, this.depth + 1).whole(read, { ...state, variables: new Map() })
    found.nested =
      found.nested.length === inside.length ? found.nested.map((one, at) => merged(one, inside[at])) : inside
    return inside.length === 0 ? [{ kind: "script", why: "an empty script" }] : []
  }

  /** Every list of words that the command may be called with. */
  private callsOf(
    words: ReadonlyArray<PlainWord>,
    state: ShellState
  ): ReadonlyArray<ReadonlyArray<CallWord>> | undefined {
    let calls: ReadonlyArray<ReadonlyArray<CallWord>> = [[]]
    for (const word of words) {
      const alternatives = this.expand(word, state)
      if (alternatives === undefined) return undefined
      calls = calls.flatMap((before) => alternatives.map((added) => [...before, ...added]))
      if (calls.length > MAX_ALTERNATIVES) return undefined
    }
    return calls
  }

  private expand(word: PlainWord, state: ShellState) {
    const isPlainPlace = state.folders?.every((folder) => PLAIN_VALUE.test(folder)) === true
    return expandWord(word, state, this.place, ({ script }) => isPlainPlace && printsPlainly(script))
  }

  /** A variable of the environment may hold a secret: whoever prints or compares it gives it away. */
  private hiddenIn({ parts }: PlainWord, state: ShellState): Extract<Doubt, { readonly kind: "word" }> | undefined {
    const hidden = parts.find(
      (part) => part._tag === "Variable" && variableValues(part.name, state, this.place) === undefined
    )
    return hidden?._tag === "Variable"
      ? { kind: "word", why: `what \`$${hidden.name}\` holds is not known` }
      : undefined
  }

  /** A pattern shows the names of the folders that it looks into. */
  private listedBy(word: PlainWord, { folders }: ShellState): Doubt | undefined {
    if (word.parts.every(({ _tag }) => _tag !== "Wildcard")) return undefined
    return expandPattern(word, folders, this.place) === undefined
      ? { kind: "path", why: `what \`${word.raw}\` matches is outside of what may be read unasked, or not known` }
      : undefined
  }

  private substitutions(word: PlainWord, state: ShellState): void {
    for (const part of word.parts) {
      if (part._tag === "Substitution" || part._tag === "ProcessOutput") this.script(part.script, state)
    }
  }

  private redirected({ operator, raw, target }: PlainRedirection, state: ShellState): ReadonlyArray<RedirectedFile> {
    if (target === undefined || operator.endsWith("<<<")) {
      if (target !== undefined) this.substitutions(target, state)
      return [{ access: "document", text: raw }]
    }
    this.substitutions(target, state)
    const values = this.expand(target, state)
    const only = values?.length === 1 && values[0]?.length === 1 ? values[0][0] : undefined
    const isDescriptor = /[<>]&$/.test(operator) && only?.isExact === true && /^(?:\d{1,2}-?|-)$/.test(only.text)
    if (isDescriptor || (only?.isExact === true && NOWHERE.has(only.text))) return []
    const access = /^\d*<$/.test(operator) ? "read" : "write"
    return [{ access, text: raw, paths: realPaths(values, state) }]
  }
}

const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

const realPaths = (
  values: ReadonlyArray<ReadonlyArray<CallWord>> | undefined,
  { folders }: ShellState
): ReadonlyArray<string> | undefined => {
  if (values === undefined || folders === undefined) return undefined
  const paths: Array<string> = []
  for (const value of values) {
    const [only, ...more] = value
    if (only?.isExact !== true || more.length > 0) return undefined
    for (const folder of folders) {
      const real = kernelPath(folder, only.text)
      if (real === undefined) return undefined
      paths.push(real)
    }
  }
  return paths
}

/** The text behind `-c` of a shell. */
const scriptOf = ({
  operands,
  options,
  table
}: NonNullable<ReturnType<typeof judgeCall>["call"]>): CallWord | undefined =>
  /^(?:ba|da)?sh$/.test(table.name) && options.some(({ name }) => name === "-c") ? (operands[0] ?? UNKNOWN) : undefined

/** One name after the other: their order is of no interest. */
const alone = ({ isExact, text }: CallWord): CallWord => ({ text, isExact })

const quoted = (word: PlainWord): PlainWord => ({
  ...word,
  parts: word.parts.map((part): WordPart => {
    if (part._tag === "Variable" || part._tag === "Substitution") return { ...part, isQuoted: true }
    return part._tag === "Wildcard" ? { _tag: "Text", text: part.text } : part
  })
})

/** What a here-string says, and names of files, which an error prints. */
const targetsOf = (redirections: ReadonlyArray<PlainRedirection>): ReadonlyArray<PlainWord> =>
  redirections.flatMap(({ target }) => target ?? [])

const wordsOf = (command: PlainCommand): ReadonlyArray<PlainWord> => [
  ...command.assignments.map(({ value }) => value),
  ...command.words
]

/** It prints one plain word or number, or nothing, so that it may stand unquoted. What options make of it is not looked at. */
const printsPlainly = (script: PlainScript): boolean => {
  const last = script.steps.at(-1)
  const command = last?._tag === "Pipeline" ? last.parts.at(-1) : last
  if (script.steps.length !== 1 || command?._tag !== "Command" || command.words.length !== 1) return false
  const [part, ...more] = command.words[0]?.parts ?? []
  return part?._tag === "Text" && more.length === 0 && programTable(part.text)?.printsPlainly === true
}
