/**
 * Splits a configured command into its words, with the quoting of a shell but without one: nothing is expanded, and no
 * operator has a meaning.
 */

/** `null` when a quote is not closed. */
export const splitCommandLine = (line: string): ReadonlyArray<string> | null => {
  const words: Array<string> = []
  let word: string | null = null
  let quote: "'" | '"' | null = null
  for (let index = 0; index < line.length; index++) {
    const letter = line.charAt(index)
    if (quote !== null && letter === quote) quote = null
    else if (quote === "'") word += letter
    else if (letter === "\\" && isEscape(line.charAt(index + 1), quote)) word = (word ?? "") + line.charAt(++index)
    else if (quote !== null) word += letter
    else if (letter === "'" || letter === '"') {
      quote = letter
      word ??= ""
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? "") + letter
  }
  if (quote !== null) return null
  return word === null ? words : [...words, word]
}

/** Inside double quotes a backslash stands for itself before most letters. */
const isEscape = (next: string, quote: "'" | '"' | null): boolean =>
  next !== "" && (quote === null || next === '"' || next === "\\" || next === "$" || next === "`")
