/**
 * Text of others for the eyes of a person who has to decide about it: nothing in it acts on the terminal, and nothing in
 * it is hidden. What cannot be seen is written out: control characters as `^[`, the rest as `<U+202E>`.
 *
 * Text that is only read is treated more gently by `readableText`: control characters are dropped, and of the invisible
 * ones only those are written out that reorder what stands around them.
 */

/** Everything is kept; line breaks and tabs stay what they are. */
export const visibleText = (text: string): string => text.replace(UNSEEN, spellOut)

/** One line: line breaks are written out too. */
export const visibleLine = (text: string): string =>
  visibleText(text).replace(/[\n\t]/g, (character) => caret(character))

/** For text that was stripped of sequences already. A lone carriage return is a line break: it must not overwrite. */
export const readableText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
    .replace(BIDI, spellOut)
    .replace(/[\u2028\u2029]/g, "\n")

/** Embeddings, overrides, isolates and marks: what follows would be shown in another order. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Control and format characters, lone surrogates, separators that end a line, characters that are drawn as nothing (of
 * which hidden text is made), and spaces other than the common one. The selector of coloured emoji is left alone.
 */
const UNSEEN = /(?!\n|\t|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

/** `^[` for a control character, `<U+202E>` for others. */
export const spellOut = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return caret(character)
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

const caret = (character: string): string => `^${String.fromCharCode(character.charCodeAt(0) ^ 0x40)}`
