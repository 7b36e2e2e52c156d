/** What became of an update, in one line. */
import type { Updated } from "./update-flow.ts"

export const updatedText = ({ because, from, name, state, to }: Updated): string => {
  switch (state) {
    case "up to date":
      return `Extension "${name}" is already up to date (${from}).`
    case "updated":
      return `Extension "${name}" successfully updated: ${from} → ${to}.`
    case "updated, needs restart":
      return `Extension "${name}" successfully updated: ${from} → ${to}. All of it counts from the next start on.`
    case "not updatable":
      return `Extension "${name}" is not updatable: ${because ?? "nothing is known about its source"}.`
    case "error":
      return `Extension "${name}" was not updated: ${because ?? "unknown error"}`
  }
}
