/**
 * Edit distance between two texts, with an optional bound.
 *
 * The bound is what makes it usable on whole blocks of source: only the cells that can still stay within it are
 * computed, and the search ends as soon as none can.
 */

/** The number of single-character edits, or `limit + 1` when it is larger than `limit`. */
export const levenshtein = (left: string, right: string, limit = Number.POSITIVE_INFINITY): number => {
  const [short, long] = left.length <= right.length ? trimCommonEnds(left, right) : trimCommonEnds(right, left)
  if (long.length - short.length > limit) return limit + 1
  if (short.length === 0) return long.length

  const width = short.length
  const band = Math.min(limit, long.length)
  const out = band + 1
  const letters = Uint16Array.from({ length: width }, (_, column) => short.charCodeAt(column))
  // One row, overwritten from left to right; cells outside the band count as too far.
  const row = Int32Array.from({ length: width + 1 }, (_, column) => Math.min(column, out))

  for (let line = 1; line <= long.length; line++) {
    const from = Math.max(1, line - band)
    const to = Math.min(width, line + band)
    const letter = long.charCodeAt(line - 1)
    let diagonal = row[from - 1] ?? out
    let left = from === 1 ? Math.min(line, out) : out
    row[from - 1] = left
    let best = left
    for (let column = from; column <= to; column++) {
      const above = row[column] ?? out
      let cost = letters[column - 1] === letter ? diagonal : diagonal + 1
      if (above < cost) cost = above + 1
      if (left < cost) cost = left + 1
      row[column] = cost
      diagonal = above
      left = cost
      if (cost < best) best = cost
    }
    if (best > limit) return limit + 1
    if (to < width) row[to + 1] = out
  }
  return Math.min(row[width] ?? out, limit + 1)
}

/** What two texts share at their ends needs no edits. */
const trimCommonEnds = (short: string, long: string): readonly [string, string] => {
  let head = 0
  while (head < short.length && short.charCodeAt(head) === long.charCodeAt(head)) head++
  let tail = 0
  while (
    tail < short.length - head &&
    short.charCodeAt(short.length - 1 - tail) === long.charCodeAt(long.length - 1 - tail)
  ) {
    tail++
  }
  return [short.slice(head, short.length - tail), long.slice(head, long.length - tail)]
}
