/** Credentials are taken out of text by their value, wherever they stand, and a mark with their name is left. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** Shorter values would match by chance. */
const SHORTEST = 8

export const redactSecrets = (text: string, secrets: ReadonlyArray<Secret>): string =>
  secrets.reduce(
    (clean, { name, value }) =>
      value.length >= SHORTEST && clean.includes(value) ? clean.replaceAll(value, () => markOf(name)) : clean,
    text
  )

/** Credentials that stand in `original` take the place of their marks again, unless the marks stand there themselves. */
export const restoreSecrets = (text: string, original: string, secrets: ReadonlyArray<Secret>): string =>
  secrets.reduce((restored, { name, value }) => {
    const mark = markOf(name)
    const isShown = value.length >= SHORTEST && original.includes(value) && !original.includes(mark)
    return isShown ? restored.replaceAll(mark, () => value) : restored
  }, text)

const markOf = (name: string): string => `[REDACTED:${name}]`
