/** The shortest text that still shows a fault, found by leaving parts out, larger ones first. */
export const minimised = async (
  text: string,
  stillFails: (candidate: string) => Promise<boolean>,
  attempts = 150
): Promise<string> => {
  let best = text
  let left = attempts
  for (let size = Math.ceil(best.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && left > 0; ) {
      const candidate = best.slice(0, at) + best.slice(at + size)
      left--
      if (candidate.trim() !== "" && (await stillFails(candidate))) best = candidate
      else at += size
    }
  }
  return best
}
