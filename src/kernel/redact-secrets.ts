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
      value.length >= SHORTEST && clean.includes(value) ? clean.replaceAll(value, () => `[REDACTED:${name}]`) : clean,
    text
  )
