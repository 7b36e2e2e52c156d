/** What commands say about the session and cannot find out themselves. */
import { Context, Effect } from "effect"
import type { CodeAssistAccount } from "../auth/google/account.ts"
import { Secrets } from "../config/secrets.ts"
import { service } from "../kernel/layers.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { version } from "../kernel/version.ts"
import { ModelAccess } from "../model/model-access.ts"
import type { SessionAccess } from "../model/model-names.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { RunFacts } from "../protocol/run-facts.ts"

export class SessionFacts extends Context.Tag("agent/slash/SessionFacts")<
  SessionFacts,
  {
    readonly sessionId: SessionId
    readonly version: string
    /** `undefined`: nobody is signed in, as with recorded answers. */
    readonly authType: AuthType | undefined
    /** Which models may be used. */
    readonly access: SessionAccess
    /** Where somebody is signed in with Google, or the machine is. */
    readonly account: CodeAssistAccount | undefined
    readonly isInteractive: boolean
    /** Credentials, which no file that a command writes may hold. */
    readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
  }
>() {}

export const layer = ({ isInteractive, sessionId }: Pick<RunFacts, "isInteractive" | "sessionId">) =>
  service(
    SessionFacts,
    Effect.zipWith(ModelAccess, Secrets, ({ access, authType, source }, { all }) => ({
      sessionId,
      version,
      authType,
      access,
      account: source._tag === "Network" ? source.account : undefined,
      isInteractive,
      secrets: all
    }))
  )
