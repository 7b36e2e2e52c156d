/** What a hub is made of: the servers, who may start, and what they get of their surroundings. */
import type { Effect } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { Sandbox } from "../sandbox/sandbox.ts"
import type { HttpClient } from "../system/http/http.ts"
import type { AdmissionRules } from "./admission.ts"
import type { ServerOrigin } from "./extension-servers.ts"
import type { ServerSurroundings } from "./server-config.ts"

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
