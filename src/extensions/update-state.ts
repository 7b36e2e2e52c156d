/** What is known of the updates of an extension, in the words that other versions of the program use. */
export type UpdateState =
  | "checking for updates"
  | "up to date"
  | "update available"
  | "updating"
  | "updated"
  | "updated, needs restart"
  | "not updatable"
  | "error"
