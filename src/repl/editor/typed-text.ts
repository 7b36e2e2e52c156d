/**
 * Text of the person as it is shown: unlike that of others it keeps what joins emoji and letters, but control and
 * reordering characters, which come with pastes, are written out.
 */
import { spellOut } from "../../kernel/readable-text.ts"

const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** In one line: a tab is a blank, and a line break what it is said to be. */
export const typedLine = (text: string, lineBreak: string): string =>
  text.replace(ACTING, (character) => {
    if (character === "\n") return lineBreak
    return character === "\t" ? " " : spellOut(character)
  })
