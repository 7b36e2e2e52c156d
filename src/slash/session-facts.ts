/** What commands say about the session and cannot find out themselves. Given by `app`. */
import { Context, type Effect } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { AuthType } from "../protocol/modes.ts"

export class SessionFacts extends Context.Tag("agent/slash/SessionFacts")<
  SessionFacts,
  {
    readonly sessionId: SessionId
    readonly version: string
    /** `undefined`: nobody is signed in, as with recorded answers. */
    readonly authType: AuthType | undefined
    readonly isInteractive: boolean
    /** Credentials, which no file that a command writes may hold. */
    readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
  }
>() {}
