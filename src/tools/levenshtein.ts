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
  let previous = Float64Array.from({ length: width + 1 }, (_, column) => (column <= band ? column : band + 1))
  let current = new Float64Array(width + 1)

  for (let row = 1; row <= long.length; row++) {
    const from = Math.max(1, row - band)
    const to = Math.min(width, row + band)
    const letter = long.charCodeAt(row - 1)
    current.fill(band + 1)
    current[0] = row
    let best = row <= band ? row : band + 1
    for (let column = from; column <= to; column++) {
      const substituted = cell(previous, column - 1) + (short.charCodeAt(column - 1) === letter ? 0 : 1)
      const cost = Math.min(substituted, cell(previous, column) + 1, cell(current, column - 1) + 1)
      current[column] = cost
      if (cost < best) best = cost
    }
    if (best > limit) return limit + 1
    const spare = previous
    previous = current
    current = spare
  }
  const distance = cell(previous, width)
  return distance > limit ? limit + 1 : distance
}

const cell = (row: Float64Array, column: number): number => row[column] ?? 0

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
