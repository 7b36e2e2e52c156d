/**
 * Programs that run the command in their own arguments, and how to find it behind their options.
 *
 * The tables list the options that are known. An unknown one may take the next word as its value, so the command
 * behind it is not known either: that is reported, never guessed.
 */
import type { FormRole, Opaque, Word } from "./shell-analysis.ts"
import { isAssignment, isHarmlessForCommand } from "./variables.ts"
import { unknownWord } from "./word.ts"

interface Wrapper {
  readonly role: Extract<FormRole, "transparent" | "guarded">
  /** Letters of options without, and with, a value. */
  readonly flags?: string
  readonly valued?: string
  /** Long options; a trailing `=` marks those with a value. */
  readonly long?: ReadonlyArray<string>
  /** Words of its own between the options and the command. */
  readonly operands?: number
  readonly takesAssignments?: boolean
  /** Letters that make it ask or list instead of running something. */
  readonly queries?: string
  /** Adds words that it reads from its input. */
  readonly appends?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: { role: "transparent" },
  busybox: { role: "transparent" },
  chroot: { role: "guarded", long: ["userspec=", "groups=", "skip-chdir"], operands: 1 },
  command: { role: "transparent", flags: "p", queries: "vV" },
  doas: { role: "guarded", flags: "n", valued: "uC" },
  env: {
    role: "transparent",
    flags: "i0v",
    valued: "uC",
    long: ["ignore-environment", "null", "debug", "unset=", "chdir="],
    takesAssignments: true
  },
  exec: { role: "transparent", flags: "cl", valued: "a" },
  ionice: { role: "transparent", flags: "t", valued: "cn", long: ["class=", "classdata=", "ignore"] },
  nice: { role: "transparent", flags: "0123456789", valued: "n", long: ["adjustment="] },
  nohup: { role: "transparent" },
  setsid: { role: "transparent", flags: "cfw", long: ["ctty", "fork", "wait"] },
  stdbuf: { role: "transparent", valued: "ioe", long: ["input=", "output=", "error="] },
  sudo: {
    role: "guarded",
    flags: "AbBEHknPS",
    valued: "ughpCrtTUDR",
    long: [
      "askpass",
      "background",
      "bell",
      "preserve-env",
      "set-home",
      "non-interactive",
      "stdin",
      "user=",
      "group=",
      "host=",
      "prompt=",
      "chdir="
    ],
    takesAssignments: true,
    queries: "lvVK"
  },
  // A word of the shell, so assignments may follow it.
  time: { role: "transparent", flags: "p", takesAssignments: true },
  timeout: {
    role: "transparent",
    flags: "fpv",
    valued: "ks",
    long: ["foreground", "preserve-status", "verbose", "kill-after=", "signal="],
    operands: 1
  },
  toybox: { role: "transparent" },
  xargs: {
    role: "transparent",
    flags: "0rtpxo",
    valued: "adEILnPs",
    long: [
      "null",
      "no-run-if-empty",
      "verbose",
      "interactive",
      "exit",
      "open-tty",
      "arg-file=",
      "delimiter=",
      "max-args=",
      "max-lines",
      "max-procs=",
      "max-chars=",
      "replace",
      "eof"
    ],
    appends: true
  }
}

export type WrapperStep =
  | {
      readonly _tag: "Inner"
      readonly role: Extract<FormRole, "transparent" | "guarded">
      readonly words: ReadonlyArray<Word>
    }
  | { readonly _tag: "NoCommand" }
  | { readonly _tag: "Unclear"; readonly opaque: Opaque }

/** Takes one wrapper off. `undefined`: the program is not one. */
export const unwrapOnce = (name: string, words: ReadonlyArray<Word>): WrapperStep | undefined => {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
  if (wrapper === undefined) return undefined
  const unclear = (why: string): WrapperStep => ({
    _tag: "Unclear",
    opaque: { kind: "unclear-wrapper", detail: `which command \`${name}\` runs is not clear: ${why}` }
  })
  const options = skipOptions(wrapper, words)
  if (typeof options === "string") return unclear(options)
  if (options.isQuery) return { _tag: "NoCommand" }
  let at = options.next
  let role = wrapper.role
  for (
    let word = words[at];
    wrapper.takesAssignments === true && word !== undefined && isAssignment(word.value);
    word = words[at]
  ) {
    if (!isHarmlessForCommand(word.value)) role = "guarded"
    at++
  }
  for (let operand = 0; operand < (wrapper.operands ?? 0); operand++, at++) {
    if ((words[at]?.dynamic.length ?? 0) > 0) return unclear("its arguments are computed")
  }
  const inner = words.slice(at)
  if (inner.length === 0) return { _tag: "NoCommand" }
  return { _tag: "Inner", role, words: wrapper.appends === true ? withInput(inner, options.replaced) : inner }
}

/** `xargs -I{} cmd a{}b`: the mark is replaced; without one the input is appended. */
const withInput = (words: ReadonlyArray<Word>, mark: string | undefined): ReadonlyArray<Word> =>
  mark === undefined
    ? [...words, unknownWord("…")]
    : words.map((word) => (word.value.includes(mark) ? { ...word, dynamic: [...word.dynamic, mark] } : word))

interface Options {
  readonly next: number
  readonly isQuery: boolean
  readonly replaced: string | undefined
}

const skipOptions = (wrapper: Wrapper, words: ReadonlyArray<Word>): Options | string => {
  let at = 1
  let isQuery = false
  let replaced: string | undefined
  for (let word = words[at]; word?.value.startsWith("-") === true; word = words[at]) {
    if (word.dynamic.length > 0) return "an option is computed"
    at++
    if (word.value === "--" || word.value === "-") {
      if (word.value === "--") break
      continue
    }
    if (word.value.startsWith("--")) {
      const [option = "", attached] = splitOnce(word.value.slice(2), "=")
      const isValued = wrapper.long?.includes(`${option}=`) === true
      if (!isValued && wrapper.long?.includes(option) !== true) return `option ${word.value}`
      if (option === "replace") replaced = attached ?? "{}"
      if (isValued && attached === undefined) at++
      continue
    }
    for (let index = 1; index < word.value.length; index++) {
      const letter = word.value[index] ?? ""
      if (wrapper.queries?.includes(letter) === true) isQuery = true
      else if (wrapper.valued?.includes(letter) === true) {
        const attached = word.value.slice(index + 1)
        const value = attached === "" ? words[at]?.value : attached
        if (letter === "I" && wrapper.appends === true) replaced = value ?? "{}"
        if (attached === "") at++
        break
      } else if (wrapper.flags?.includes(letter) !== true) return `option ${word.value}`
    }
  }
  return { next: at, isQuery, replaced }
}

const splitOnce = (text: string, separator: string): readonly [string, string | undefined] => {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
