/**
 * The tests of the shell. `[` reads its words by how many there are, `[[` by their places, and in both an operator can
 * do more than compare: `-v` evaluates an index, and a comparison of numbers in `[[` whatever its words say.
 */
import type { CallRefusal, CallWord, OperandSpec, ParsedCall, ProgramTable, ValueKind } from "../program-table.ts"

const LOOKS = /^-[abcdefghkprsuwxGLNOS]$/
const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/
const COMPARES_FILES = /^-(?:nt|ot|ef)$/
const COMPARES_NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/
const COMPARES = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/
const NUMBER = /^-?\d{1,18}$/

const is = (word: CallWord | undefined, pattern: RegExp): boolean => word?.isExact === true && pattern.test(word.text)

/** Beside an operator that looks at files a word may be a path; where another reading makes it text, that is no harm. */
const kinds = ({ operands }: ParsedCall): OperandSpec => ({
  first: operands.map((_, at): ValueKind => {
    const [before, after] = [operands[at - 1], operands[at + 1]]
    return is(before, LOOKS) || is(before, COMPARES_FILES) || is(after, COMPARES_FILES) ? "names" : "text"
  }),
  rest: "text"
})

const refusal = (why: string): CallRefusal => ({ effect: "unknown", why })
const EVALUATES = /^-[vR]$/

/** As bash decides it, by the number of words. */
const isPlainTest = (words: ReadonlyArray<CallWord>): boolean => {
  const [first, second] = words
  switch (words.length) {
    case 0:
    case 1:
      return true
    case 2:
      return is(first, UNARY) || is(first, /^!$/)
    case 3:
      return is(second, COMPARES) || is(second, /^-[ao]$/) || (is(first, /^!$/) && is(second, UNARY))
    case 4:
      return is(first, /^!$/) && isPlainTest(words.slice(1))
    default:
      return false
  }
}

/** Longer ones are put together with `-a` and `-o`, which is only clear where every word is known. */
const isJoinedTest = (words: ReadonlyArray<CallWord>): boolean => {
  const parts: Array<Array<CallWord>> = [[]]
  for (const word of words) {
    if (is(word, /^-[ao]$/)) parts.push([])
    else parts.at(-1)?.push(word)
  }
  return words.every(({ isExact }) => isExact) && parts.every((part) => part.length > 0 && isPlainTest(part))
}

const testRefusal = (words: ReadonlyArray<CallWord>): CallRefusal | undefined => {
  if (words.some((word) => is(word, EVALUATES))) return refusal("a test that evaluates a name")
  return isPlainTest(words) || isJoinedTest(words) ? undefined : refusal("a test whose operators are not known")
}

/** `!` and one, two or three words. */
const isPlainTerm = (words: ReadonlyArray<CallWord>): boolean => {
  const [first, second, third] = words
  if (is(first, /^!$/) && words.length > 1) return isPlainTerm(words.slice(1))
  if (words.length === 1) return true
  if (words.length === 2) return is(first, UNARY)
  if (words.length !== 3) return false
  if (is(second, COMPARES_NUMBERS)) return is(first, NUMBER) && is(third, NUMBER)
  return is(second, COMPARES) || is(second, /^=~$/)
}

const conditionRefusal = (words: ReadonlyArray<CallWord>): CallRefusal | undefined => {
  if (words.some((word) => is(word, EVALUATES))) return refusal("a test that evaluates a name")
  const terms: Array<Array<CallWord>> = [[]]
  for (const word of words) {
    if (is(word, /^(?:&&|\|\|)$/)) terms.push([])
    else terms.at(-1)?.push(word)
  }
  return terms.every((term) => term.length > 0 && isPlainTerm(term))
    ? undefined
    : refusal("a test whose operators are not known, or that computes")
}

const bracket = (
  name: string,
  close: string | undefined,
  judge: (words: ReadonlyArray<CallWord>) => CallRefusal | undefined
): ProgramTable => ({
  name,
  reason: "compares words and looks at files",
  isBuiltin: true,
  style: "words",
  options: {},
  operands: kinds,
  refuses: ({ operands }) => {
    if (close === undefined) return judge(operands)
    const last = operands.at(-1)
    return last?.isExact === true && last.text === close
      ? judge(operands.slice(0, -1))
      : refusal(`\`${name}\` without \`${close}\``)
  }
})

export const shellTests: ReadonlyArray<ProgramTable> = [
  bracket("test", undefined, testRefusal),
  bracket("[", "]", testRefusal),
  bracket("[[", "]]", conditionRefusal)
]
