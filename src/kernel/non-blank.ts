/** A text that says something, without blanks around it; one of blanks only counts as not given. */
export const nonBlank = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim()
  return trimmed === "" ? undefined : trimmed
}
