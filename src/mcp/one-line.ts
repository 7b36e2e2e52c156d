/** Text of a server in a message for people: one line, no control characters, bounded. */

const SHOWN_CHARS = 300

export const oneLine = (text: string): string =>
  Bun.stripANSI(text)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, SHOWN_CHARS)
