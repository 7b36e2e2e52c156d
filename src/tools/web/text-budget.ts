/**
 * One budget of characters for several texts. Short ones get all they need, and what they leave goes to the long ones in
 * equal parts. Pure.
 */

/** How much of each text is kept, in the order given. The sum never exceeds the budget. */
export const shareOut = (lengths: ReadonlyArray<number>, budget: number): ReadonlyArray<number> => {
  const shares = lengths.map(() => 0)
  const shortestFirst = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0))
  let left = budget
  shortestFirst.forEach((index, position) => {
    const fair = Math.floor(left / (shortestFirst.length - position))
    const share = Math.min(lengths[index] ?? 0, fair)
    shares[index] = share
    left -= share
  })
  return shares
}

/** The beginning of a text, with a note when it is not all of it. The note is not counted. */
export const cutText = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? "") ? limit - 1 : limit
  return `${text.slice(0, end)}\n... [cut: ${(text.length - end).toLocaleString("en-US")} more characters]`
}
