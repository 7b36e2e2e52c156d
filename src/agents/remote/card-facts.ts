/** What is taken from the card of a remote agent before it is ever called. */

export interface CardFacts {
  /** For the model: what the agent says of itself, and its skills. */
  readonly description: string
  /** What may not work, such as a way to sign in that the card does not know. */
  readonly warnings: ReadonlyArray<string>
}
