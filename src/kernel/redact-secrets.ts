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

/** The same for JSON. A list that grows (a token was renewed) counts as it is when the text comes. */
export const redactionOf = (secrets: ReadonlyArray<Secret>): ((json: string) => string) => {
  let forms: ReadonlyArray<Secret> = []
  let seen = 0
  return (json) => {
    if (secrets.length !== seen) {
      forms = secretForms(secrets)
      seen = secrets.length
    }
    return redactSecrets(json, forms)
  }
}

/**
 * Values as they may stand in text: as they are, or escaped, also twice: JSON within JSON. The longest come first, so
 * that a value that holds another one goes as a whole.
 */
export const secretForms = (secrets: ReadonlyArray<Secret>): ReadonlyArray<Secret> =>
  secrets
    .filter(({ value }) => value.length >= SHORTEST)
    .flatMap(({ name, value }) =>
      [...new Set([value, escaped(value), escaped(escaped(value))])].map((form) => ({ name, value: form }))
    )
    .toSorted((a, b) => b.value.length - a.value.length)

const escaped = (value: string): string => JSON.stringify(value).slice(1, -1)

/** Credentials that stand in `original` take the place of their marks again, unless the marks stand there themselves. */
export const restoreSecrets = (text: string, original: string, secrets: ReadonlyArray<Secret>): string =>
  secrets.reduce((restored, { name, value }) => {
    const mark = markOf(name)
    const isShown = value.length >= SHORTEST && original.includes(value) && !original.includes(mark)
    return isShown ? restored.replaceAll(mark, () => value) : restored
  }, text)

export const markOf = (name: string): string => `[REDACTED:${name}]`
