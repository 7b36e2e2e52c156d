/** What commands say about the session and cannot find out themselves. Given by `app`. */
import { Context } from "effect"
import type { SessionId } from "../protocol/ids.ts"
import type { AuthType } from "../protocol/modes.ts"

export class SessionFacts extends Context.Tag("agent/commands/SessionFacts")<
  SessionFacts,
  {
    readonly sessionId: SessionId
    readonly version: string
    /** `undefined`: nobody is signed in, as with recorded answers. */
    readonly authType: AuthType | undefined
    readonly isInteractive: boolean
  }
>() {}
