/** "Did you mean …?": the known names nearest to a mistyped one. */

/** Edits between two names: insert, delete, replace, swap of neighbours. */
export const editDistance = (left: string, right: string): number => {
  let beforeLast: Array<number> = []
  let last = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1]
      const isSwap = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      )
      current.push(isSwap ? Math.min(best, (beforeLast[column - 2] ?? 0) + 1) : best)
    }
    beforeLast = last
    last = current
  }
  return last[right.length] ?? 0
}

/**
 * The one name that was most likely meant, for words of a command line: the beginning of a name counts as that name.
 * `undefined` when nothing is near, since a wild guess helps less than none.
 */
export const closestName = (typed: string, names: ReadonlyArray<string>): string | undefined => {
  const word = typed.slice(0, LONGEST_NAME).toLowerCase()
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const distance = name.startsWith(word) && word.length > 2 ? 0 : editDistance(word, name)
    if (best === undefined || distance < best.distance) best = { name, distance }
  }
  if (best === undefined) return undefined
  return best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** No name is nearly as long; keeps the work small for absurd input. */
const LONGEST_NAME = 100

/** Nearest first, at most `limit`; names that differ in more than a third of their letters are not meant. */
export const closestNames = (name: string, known: ReadonlyArray<string>, limit = 3): ReadonlyArray<string> => {
  const wanted = name.slice(0, LONGEST_NAME).toLowerCase()
  return known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
