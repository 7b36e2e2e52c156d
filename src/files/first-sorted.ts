/** The first few of many, in order, without sorting them all: with a locale's order, comparing is what costs. */

/** As `[...items].sort(compare).slice(0, count)`. */
export const firstSorted = <A>(items: Iterable<A>, count: number, compare: (a: A, b: A) => number): Array<A> => {
  let kept: Array<A> = []
  let last: A | undefined
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue
    kept.push(item)
    if (kept.length < count * 2) continue
    kept = kept.sort(compare).slice(0, count)
    last = kept.at(-1)
  }
  return kept.sort(compare).slice(0, count)
}
