/**
 * The paths that a few typed letters most likely mean. Pure, and quick enough for a key press over hundreds of thousands
 * of paths: one pass, no list of all matches.
 */

/** Best first, at most `limit`. A query without capitals is compared in any case. */
export const bestMatches = (query: string, paths: Iterable<string>, limit: number): ReadonlyArray<string> => {
  const isPlain = query === query.toLowerCase()
  const wanted: Query = { text: query, letters: [...query] }
  const best: Array<{ readonly path: string; readonly rank: number }> = []
  for (const path of paths) {
    const rank = rankOf(wanted, isPlain ? path.toLowerCase() : path)
    const worst = best[limit - 1]
    if (rank === undefined || (worst !== undefined && !isBefore({ path, rank }, worst))) continue
    const place = best.findIndex((other) => isBefore({ path, rank }, other))
    best.splice(place < 0 ? best.length : place, 0, { path, rank })
    best.length = Math.min(best.length, limit)
  }
  return best.map(({ path }) => path)
}

interface Ranked {
  readonly path: string
  readonly rank: number
}

const isBefore = (one: Ranked, other: Ranked): boolean =>
  one.rank < other.rank ||
  (one.rank === other.rank &&
    (one.path.length < other.path.length || (one.path.length === other.path.length && one.path < other.path)))

/**
 * How well it fits, 0 is best; `undefined` when a letter is missing. A folder's name ends before its slash. Most paths fit
 * in no way, so what rules them out comes first.
 */
const rankOf = (query: Query, path: string): number | undefined => {
  const at = path.lastIndexOf(query.text)
  if (at < 0 && !holdsInOrder(query, path, 0)) return undefined
  const end = path.endsWith("/") ? path.length - 1 : path.length
  const nameStart = path.lastIndexOf("/", end - 1) + 1
  if (at < 0) return holdsInOrder(query, path, nameStart) ? 4 : 5
  if (path.startsWith(query.text, nameStart)) return query.text.length === end - nameStart ? 0 : 1
  return at >= nameStart ? 2 : 3
}

interface Query {
  readonly text: string
  readonly letters: ReadonlyArray<string>
}

const holdsInOrder = ({ letters }: Query, path: string, start: number): boolean => {
  let from = start
  for (const letter of letters) {
    from = path.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
