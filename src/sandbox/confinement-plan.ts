/**
 * What `gemini` does to itself before it becomes the command (`confine-self.ts`). Written to a private file by the run
 * that starts it, and read there: none of it fits on a command line.
 */
import { Schema } from "effect"

/** The hidden word after which our own program confines itself. `main.ts` spells it too, since it imports nothing. */
export const CONFINE_WORD = "__confine"

/** The one after which it hands the connections of a command on to our proxy (`system/http/command-bridge.ts`). */
export const BRIDGE_WORD = "__bridge"

/** Follows the socket where nobody signals to the whole group: the command gets the signals of the bridge. */
export const HANDS_ON = "--hand-on"

export const ConfinementPlan = Schema.Struct({
  /** Files that an empty one is put over, inside a namespace of one's own. */
  hide: Schema.Array(Schema.String),
  /** Lines that the table of mounts must have, in part: see `mount-table.ts`. */
  mounts: Schema.Array(Schema.String),
  /** Devices whose permissions nobody inside may change. */
  settledDevices: Schema.Array(Schema.String),
  /** The empty one. */
  closedFile: Schema.String,
  landlock: Schema.NullOr(
    Schema.Struct({
      handled: Schema.Int,
      /** Bits: binding and connecting of TCP. */
      handledNetwork: Schema.Int,
      /** Bits: abstract sockets and signals. */
      scoped: Schema.Int,
      rules: Schema.Array(Schema.Struct({ path: Schema.String, rights: Schema.Int }))
    })
  ),
  /** The filter of system calls, in base64. */
  filter: Schema.String,
  diesWithParent: Schema.Boolean
})
export type ConfinementPlan = typeof ConfinementPlan.Type
