/** A file whose time tells when something was last done, for what is to be done now and then and not more often. */
import { statSync } from "node:fs"

/** `undefined`: it was never done. Less than nothing: a clock that was wrong left the mark. */
export const ageOfMark = (file: string, now: number): number | undefined => {
  const mark = statSync(file, { throwIfNoEntry: false })
  // Files have finer times than our clock: one of this very millisecond is not from the future.
  return mark === undefined ? undefined : now - Math.floor(mark.mtimeMs)
}

/** A mark from the future does not count: it would put things off for as long as the clock was wrong. */
export const isMarkOlder = (age: number, than: number): boolean => age < 0 || age > than
