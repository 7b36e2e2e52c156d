/** A hook ends the work on a prompt in the middle of a request. It never leaves this room: readers are told, and the run ends well. */
import { Data } from "effect"
import type { Halt } from "../../hooks/decisions.ts"
import type { Emit } from "../../protocol/event.ts"
import type { UsageMetadata } from "../../protocol/usage.ts"

interface HaltFacts extends Pick<Halt, "kind" | "reason"> {
  /** What the answer took that the hook would not let pass. */
  readonly usage?: UsageMetadata | undefined
}

export class RunHalt extends Data.TaggedError("RunHalt")<HaltFacts> {
  override get message() {
    return `Agent execution ${this.kind}: ${this.reason}`
  }
}

export const tellHalt = (
  { kind, reason }: Pick<Halt, "kind" | "reason">,
  emit: Emit,
  { contextCleared }: { readonly contextCleared: boolean } = { contextCleared: false }
) => emit({ _tag: "RunHalted", kind, reason, contextCleared })
