/**
 * The hub of the servers that a configuration names, and what it is made of: one way for runs and for the commands
 * that speak about them.
 */
import { Effect, Layer } from "effect"
import { httpOf } from "../config/http.ts"
import type { LoadedConfig } from "../config/load.ts"
import { programTrust } from "../config/programs/program-trust.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { lazyLayer } from "../kernel/lazy.ts"
import { version } from "../kernel/version.ts"
import type { Sandbox } from "../sandbox/sandbox.ts"
import type { HttpClient } from "../system/http/http.ts"
import type { AdmissionRules } from "./admission.ts"
import type { ConfiguredServers } from "./configured-servers.ts"
import { readDisabled } from "./enablement-file.ts"
import type { ServerOrigin } from "./extension-servers.ts"
import type { LoginDialogue } from "./oauth/kept-logins.ts"
import * as OrphanGuard from "./orphan-guard.ts"
import { projectServers } from "./project-servers.ts"
import * as ServerAuth from "./server-auth.ts"
import type { ServerSurroundings } from "./server-config.ts"

export interface HubRequest {
  readonly config: LoadedConfig
  readonly configured: Omit<ConfiguredServers, "warnings">
  /** Names of servers that the person's editor gave for this session: they are not the project's, whatever it calls its own. */
  readonly ofSession?: ReadonlySet<string>
  /** Fingerprints of programs of the project that the person agreed to in this session. */
  readonly accepted?: ReadonlySet<string> | undefined
  /** The servers are those of this agent. */
  readonly agent?: string | undefined
  /** `--allowed-mcp-server-names`. */
  readonly named?: ReadonlyArray<string> | undefined
  /** Folders of the workspace beside the working one, absolute. */
  readonly includeDirectories: ReadonlyArray<string>
  /** Those that joined since, real paths. */
  readonly addedRoots?: Effect.Effect<ReadonlyArray<string>>
  /** Stands around the servers of the project; those of the user are theirs. */
  readonly sandbox?: Sandbox["Type"]
  readonly notice: HubOptions["notice"]
  /** Whoever can log in to a server that asks for it, at once. */
  readonly dialogue?: LoginDialogue | undefined
}

export const hubFromConfig = (request: HubRequest) =>
  lazyLayer(() => import("./mcp-hub.live.ts").then(({ layer }) => layer(optionsOf(request)))).pipe(
    Layer.provide(request.config.environment.platform === "win32" ? OrphanGuard.layerNone : OrphanGuard.layer),
    Layer.provide(hasRemote(request.configured) ? signing(request) : ServerAuth.layerNone)
  )

const hasRemote = ({ servers }: HubRequest["configured"]): boolean =>
  Object.values(servers).some(({ httpUrl, url }) => httpUrl !== undefined || url !== undefined)

const signing = ({ config, dialogue, notice }: HubRequest) =>
  lazyLayer(() =>
    import("./oauth/auth-from-config.ts").then(({ authFromConfig }) =>
      authFromConfig(config, (line) => notice("info", line), dialogue)
    )
  )

const optionsOf = (request: HubRequest): HubOptions => {
  const { addedRoots = Effect.succeed([]), config, configured, includeDirectories, named, notice } = request
  const { environment, settings, storage, trust } = config
  const { mayRun } = programTrust(config, request.accepted)
  const ofProject = () =>
    new Map(
      projectServers(config)
        .filter(({ agent, name }) => agent === request.agent && request.ofSession?.has(name) !== true)
        .map(({ fingerprint, name }) => [name, fingerprint])
    )
  const atStart = ofProject()
  return {
    servers: configured.servers,
    origins: configured.origins,
    surroundings: {
      environment,
      redaction: {
        allowed: settings.get("security.environmentVariableRedaction.allowed"),
        blocked: settings.get("security.environmentVariableRedaction.blocked")
      },
      trust: trust.trust
    },
    sandboxFor: (name) => (atStart.has(name) ? request.sandbox : undefined),
    http: httpOf(config),
    rules: {
      blockedByAdmin: configured.blockedByAdmin,
      unconfirmed: new Set([...atStart].filter(([, print]) => !mayRun(print)).map(([name]) => name)),
      named,
      allowed: settings.get("mcp.allowed"),
      excluded: settings.get("mcp.excluded") ?? [],
      offInSession: new Set(),
      offInFile: readDisabled(storage.mcpEnablementFile)
    },
    isChanged: (name) => atStart.has(name) && ofProject().get(name) !== atStart.get(name),
    version,
    roots: Effect.map(addedRoots, (added) => [environment.cwd, ...includeDirectories, ...added]),
    notice
  }
}

/** What a hub is made of: the servers, who may start, and what they get of their surroundings. */
export interface HubOptions {
  /** In the order in which they are shown. */
  readonly servers: Readonly<Record<string, McpServer>>
  /** Those that an extension brings, by name. */
  readonly origins?: Readonly<Record<string, ServerOrigin>>
  readonly surroundings: ServerSurroundings
  /** What stands around the server of this name; `undefined`: nothing. */
  readonly sandboxFor?: (name: string) => Sandbox["Type"] | undefined
  readonly http: HttpClient
  readonly rules: AdmissionRules
  /** What a server of the project runs is not what it was when the hub was made. Asked before each start. */
  readonly isChanged?: (name: string) => boolean
  readonly version: string
  /** Folders of the workspace, absolute. */
  readonly roots: Effect.Effect<ReadonlyArray<string>>
  /** What a person should know; the run goes on. */
  readonly notice: (severity: "info" | "warning", text: string) => Effect.Effect<void>
}
