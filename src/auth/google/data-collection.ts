/** Whether prompts of a free account may be used to make the product better: the person's choice, kept by the server. */
import { Effect, Schema } from "effect"
import type { CodeAssistAccount, ServerProblem } from "./account.ts"
import { FREE_TIER } from "./account-setup.ts"
import { callServer } from "./code-assist-server.ts"

/** Whoever pays, or whose organisation does, has terms that say it; nothing is left to choose. */
export const hasChoice = ({ tier }: Pick<CodeAssistAccount, "tier">): boolean => tier === FREE_TIER

type Account = Pick<CodeAssistAccount, "server" | "project">

const UserSetting = Schema.Struct({ freeTierDataCollectionOptin: Schema.optional(Schema.NullOr(Schema.Boolean)) })

/** Where nobody chose, they may be used. */
export const mayBeUsed = ({ server }: Account): Effect.Effect<boolean, ServerProblem> =>
  callServer(server, { path: ":getCodeAssistGlobalUserSetting" }, UserSetting).pipe(
    Effect.map(({ freeTierDataCollectionOptin }) => freeTierDataCollectionOptin ?? true),
    Effect.catchTag("ServerRefusal", (refusal) => (refusal.status === 404 ? Effect.succeed(true) : refusal))
  )

/** What the server kept. */
export const chooseUse = ({ project, server }: Account, isAllowed: boolean): Effect.Effect<boolean, ServerProblem> =>
  Effect.map(
    callServer(
      server,
      {
        path: ":setCodeAssistGlobalUserSetting",
        body: { cloudaicompanionProject: project, freeTierDataCollectionOptin: isAllowed }
      },
      UserSetting
    ),
    ({ freeTierDataCollectionOptin }) => freeTierDataCollectionOptin ?? isAllowed
  )
