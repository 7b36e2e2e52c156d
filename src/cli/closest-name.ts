/** The known name that a mistyped one most likely stands for. */

/** `undefined` when nothing is near: a wild guess helps less than none. */
export const closestName = (typed: string, names: ReadonlyArray<string>): string | undefined => {
  const word = typed.toLowerCase().slice(0, LONGEST_WORD)
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const distance = name.startsWith(word) && word.length > 2 ? 0 : editDistance(word, name)
    if (best === undefined || distance < best.distance) best = { name, distance }
  }
  if (best === undefined) return undefined
  return best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** No name is nearly as long; keeps the work small for absurd input. */
const LONGEST_WORD = 64

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
const editDistance = (left: string, right: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current: Array<number> = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, right.length)
}

const at = (row: ReadonlyArray<number>, column: number): number => row[column] ?? Number.POSITIVE_INFINITY
