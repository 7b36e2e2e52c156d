/**
 * What the administrator of an organisation decides, from the Code Assist server. What such an answer does not say is not
 * allowed; an answer that says that the account has no administrator decides nothing.
 */
import { Duration, Effect, Option, Predicate, Schema } from "effect"
import type { AdminControls } from "../../config/administrator.ts"
import type { CodeAssistAccount } from "./account.ts"
import { callServer } from "./code-assist-server.ts"
import { fetchExperiments, flagsIn } from "./experiments.ts"

/** Read part by part: one of another type than it should be allows nothing, and takes no restriction away with it. */
const ControlsAnswer = Schema.Record({ key: Schema.String, value: Schema.Unknown })
type ControlsAnswer = typeof ControlsAnswer.Type

const fieldOf = (value: unknown, name: string): unknown =>
  Predicate.isReadonlyRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

const flagOf = (value: unknown): boolean | undefined => (Predicate.isBoolean(value) ? value : undefined)

/** The account may have an administrator: its server says so. */
export const isAdministered = ({ experiments, project }: Pick<CodeAssistAccount, "experiments" | "project">): boolean =>
  flagsIn(experiments).adminControls === true && project !== undefined

/** The same, asked anew: the server may switch it on while somebody talks. */
export const isAdministeredNow = ({ project, server }: Pick<CodeAssistAccount, "server" | "project">) =>
  Effect.map(fetchExperiments(server, project), (experiments) => isAdministered({ experiments, project }))

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
  const { mcpServers, requiredMcpServers } = serversIn(fieldOf(mcpSetting, "mcpConfigJson"))
  const isSecure = flagOf(secureModeEnabled)
  return {
    isStrict: !(flagOf(strictModeDisabled) ?? isSecure === false),
    allowsExtensions: fieldOf(fieldOf(cliFeatureSetting, "extensionsSetting"), "extensionsEnabled") === true,
    allowsUnmanaged: fieldOf(cliFeatureSetting, "unmanagedCapabilitiesEnabled") === true,
    allowsServers: fieldOf(mcpSetting, "mcpEnabled") === true,
    allowedServers: mcpServers ?? {},
    requiredServers: requiredMcpServers ?? {}
  }
}

const Servers = Schema.optional(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
const ServerLists = Schema.parseJson(Schema.Struct({ mcpServers: Servers, requiredMcpServers: Servers }))

const serversIn = (text: unknown): typeof ServerLists.Type =>
  Option.getOrElse(Schema.decodeUnknownOption(ServerLists)(text), () => ({}))
