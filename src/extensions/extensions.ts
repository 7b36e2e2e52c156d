/** The extensions of a session, for commands that speak about them. */
import { Context, type Ref } from "effect"
import type { EnabledExtension } from "../protocol/extension-parts.ts"

export class Extensions extends Context.Tag("agent/extensions/Extensions")<
  Extensions,
  {
    readonly enabled: ReadonlyArray<EnabledExtension>
    /** `-e` of the command line. */
    readonly named: ReadonlyArray<string> | undefined
    /** Turned on or off for this session only, by name: counts when the session is built anew. */
    readonly session: Ref.Ref<ReadonlyMap<string, boolean>>
  }
>() {}
