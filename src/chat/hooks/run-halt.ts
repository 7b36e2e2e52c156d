/** A hook ends the work on a prompt in the middle of a request. It never leaves this room: readers are told, and the run ends well. */
import { Data } from "effect"
import type { Halt } from "../../hooks/decisions.ts"
import type { Emit } from "../attempt.ts"

export class RunHalt extends Data.TaggedError("RunHalt")<Pick<Halt, "kind" | "reason">> {
  override get message() {
    return `Agent execution ${this.kind}: ${this.reason}`
  }
}

export const tellHalt = (
  { kind, reason }: Pick<Halt, "kind" | "reason">,
  emit: Emit,
  { contextCleared }: { readonly contextCleared: boolean } = { contextCleared: false }
) => emit({ _tag: "RunHalted", kind, reason, contextCleared })
