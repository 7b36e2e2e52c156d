/** A thought of the model: a bold subject, then the description. */
export interface ThoughtSummary {
  readonly subject: string
  readonly description: string
}

export const parseThought = (text: string): ThoughtSummary => {
  const open = text.indexOf("**")
  const close = open === -1 ? -1 : text.indexOf("**", open + 2)
  return close === -1
    ? { subject: "", description: text.trim() }
    : {
        subject: text.slice(open + 2, close).trim(),
        description: `${text.slice(0, open)}${text.slice(close + 2)}`.trim()
      }
}
