/** How many tokens a text has, about: good enough to keep a budget, and never slow. */
const ASCII_TOKENS = 0.25
const OTHER_TOKENS = 1.5
/** Longer texts are measured by their length alone. */
const COUNTED_CHARACTERS = 100_000

/** Not rounded, so that sums stay right. */
export const textTokens = (text: string): number => {
  if (text.length > COUNTED_CHARACTERS) return text.length * ASCII_TOKENS
  let tokens = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // The second half of a pair belongs to the character that the first half counted.
    if (code >= 0xdc00 && code <= 0xdfff) continue
    tokens += code <= 0x7f ? ASCII_TOKENS : OTHER_TOKENS
  }
  return tokens
}
