/** What a value that was thrown says, whatever it is. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
