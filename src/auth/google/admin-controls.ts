/**
 * What the administrator of an organisation decides, from the Code Assist server. What such an answer does not say is not
 * allowed; an answer that says that the account has no administrator decides nothing.
 */
import { Duration, Effect, Option, Predicate, Schema } from "effect"
import type { AdminControls } from "../../config/administrator.ts"
import type { CodeAssistAccount } from "./account.ts"
import { callServer } from "./code-assist-server.ts"
import { FLAG } from "./experiments.ts"

const flag = Schema.optional(Schema.NullOr(Schema.Boolean))
const group = <F extends Schema.Struct.Fields>(fields: F) => Schema.optional(Schema.NullOr(Schema.Struct(fields)))

const ControlsAnswer = Schema.Struct({
  adminControlsApplicable: flag,
  strictModeDisabled: flag,
  secureModeEnabled: flag,
  mcpSetting: group({ mcpEnabled: flag, mcpConfigJson: Schema.optional(Schema.NullOr(Schema.String)) }),
  cliFeatureSetting: group({
    extensionsSetting: group({ extensionsEnabled: flag }),
    unmanagedCapabilitiesEnabled: flag
  })
})
type ControlsAnswer = typeof ControlsAnswer.Type

/** The account may have an administrator: its server says so. */
export const isAdministered = ({ experiments, project }: Pick<CodeAssistAccount, "experiments" | "project">): boolean =>
  experiments[FLAG.adminControls] === true && project !== undefined

const WITHIN = Duration.seconds(5)

/** `undefined`: nobody decides anything. */
export const fetchAdminControls = Effect.fn("Auth.fetchAdminControls")(function* ({
  project,
  server
}: Pick<CodeAssistAccount, "server" | "project">) {
  const answer = yield* callServer(
    server,
    { path: ":fetchAdminControls", body: { project }, within: WITHIN },
    ControlsAnswer
  ).pipe(
    Effect.mapError(({ detail }) => ({ detail })),
    Effect.timeoutFail({ duration: WITHIN, onTimeout: () => ({ detail: "no answer came within 5 seconds" }) })
  )
  return controlsIn(answer)
})

export const controlsIn = (answer: ControlsAnswer): AdminControls | undefined => {
  if (answer.adminControlsApplicable !== true) return undefined
  const { cliFeatureSetting, mcpSetting, secureModeEnabled, strictModeDisabled } = answer
  const { mcpServers, requiredMcpServers } = serversIn(mcpSetting?.mcpConfigJson)
  return {
    isStrict: !(strictModeDisabled ?? (secureModeEnabled == null ? false : !secureModeEnabled)),
    allowsExtensions: cliFeatureSetting?.extensionsSetting?.extensionsEnabled === true,
    allowsUnmanaged: cliFeatureSetting?.unmanagedCapabilitiesEnabled === true,
    allowsServers: mcpSetting?.mcpEnabled === true,
    allowedServers: mcpServers ?? {},
    requiredServers: requiredMcpServers ?? {}
  }
}

const Servers = Schema.optional(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
const ServerLists = Schema.parseJson(Schema.Struct({ mcpServers: Servers, requiredMcpServers: Servers }))

const serversIn = (text: string | null | undefined): typeof ServerLists.Type =>
  Predicate.isNullable(text) ? {} : Option.getOrElse(Schema.decodeUnknownOption(ServerLists)(text), () => ({}))
