/**
 * Text of others for the eyes of a person who has to decide about it: nothing in it acts on the terminal, and nothing in
 * it is hidden. What cannot be seen is written out: control characters as `^[`, the rest as `<U+202E>`.
 *
 * Text that is only read is treated more gently: `readable-text.ts`.
 */
import { joinsPictures, spellOut } from "./readable-text.ts"

/** Everything is kept; line breaks and tabs stay what they are. */
export const visibleText = (text: string): string =>
  text.replace(UNSEEN, (found, offset: number) => {
    const next = offset + found.length
    const isPartOfPicture = joinsPictures(
      found,
      text.slice(Math.max(0, offset - 4), offset),
      text.slice(next, next + 2)
    )
    return isPartOfPicture ? found : spellOut(found)
  })

/**
 * The same for a question: blanks in a row, and lines that are all the same, empty ones above all, are counted instead of
 * shown where there are so many of them that they push what follows out of sight.
 */
export const questionedText = (text: string): string =>
  visibleText(text)
    .replace(MANY_BLANKS, (blanks) => ` <${blanks.length} blanks> `)
    .replace(
      MANY_ALIKE,
      (lines: string, one: string) => `${one}\n<this line ${lines.split("\n").length - 2} more times>\n`
    )

const MANY_BLANKS = /[ \t]{61,}/g
const MANY_ALIKE = /^(.*)\n(?:\1\n){5,}/gm

/** One line: line breaks are written out too. */
export const visibleLine = (text: string): string => visibleText(text).replace(/[\n\t]/g, spellOut)

/**
 * Control and format characters, lone surrogates, separators that end a line, characters that are drawn as nothing or as
 * whatever a font likes (of which hidden text is made), and blanks other than the common one.
 */
const UNSEEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu
