/** Text of others in a line of ours: what would break the line becomes a blank, and what is too long is cut. Pure. */

/** At most `limit` characters, the dots of a cut included. Blanks between words stay as they are: they may belong to a path. */
export const oneLine = (text: string, limit: number): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, (run) => (/\p{Cc}/u.test(run) ? " " : run)).trim()
  return line.length > limit ? `${line.slice(0, limit - 3)}...` : line
}
