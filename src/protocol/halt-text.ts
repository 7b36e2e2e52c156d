/** How a reader says that a hook ended the work on a prompt. Scripts look for these words. */
import type { EventOf } from "./event.ts"

export const haltText = ({ contextCleared, kind, reason }: EventOf<"RunHalted">): string =>
  `Agent execution ${kind}: ${reason}${contextCleared ? " (the conversation was cleared)" : ""}`
