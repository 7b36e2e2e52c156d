/** Starts the MCP servers of a run, and brings what they offer to the model: tools, resources, instructions. */
import { Duration, Effect, Ref } from "effect"
import { openPage } from "../../config/browser.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { reportPending } from "../../config/programs/pending-programs.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { WorkspaceRoots } from "../../config/workspace-roots.ts"
import { serviceOf } from "../../kernel/layers.ts"
import { insideFrame } from "../../kernel/prompt-frames.ts"
import { configuredServers } from "../../mcp/configured-servers.ts"
import { type HubOptions, hubFromConfig } from "../../mcp/from-config.ts"
import type { McpTool } from "../../mcp/listing.ts"
import { McpHub, type ServerView } from "../../mcp/mcp-hub.ts"
import type { LoginDialogue } from "../../mcp/oauth/kept-logins.ts"
import { projectServers } from "../../mcp/project-servers.ts"
import { misnamedRules, voidedApprovals } from "../../mcp/server-rules.ts"
import { changedTools } from "../../mcp/tool-changes.ts"
import { registeredName } from "../../mcp/tool-name.ts"
import { Policy } from "../../policy/policy.ts"
import { type ContextFile, contextBlock } from "../../prompt/context-file.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { Notices } from "../../protocol/notices.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import { Sandbox } from "../../sandbox/sandbox.ts"
import { type JoinedTool, ToolRegistry } from "../registry.ts"
import { provideTool } from "../tool.ts"
import { listMcpResourcesTool, readMcpResourceTool } from "./mcp-resources.tool.ts"
import { mcpTool } from "./mcp-tool.ts"

export interface ServerFacts extends Pick<RunFacts, "extensions" | "acceptedPrograms" | "isInteractive"> {
  /** `--allowed-mcp-server-names`. */
  readonly allowedMcpServerNames: ReadonlyArray<string> | undefined
  /** Named by an editor for this session alone. */
  readonly sessionServers?: Readonly<Record<string, McpServer>> | undefined
}

export const startServers = Effect.fnUntraced(function* (config: LoadedConfig, run: ServerFacts) {
  const { warn } = yield* Notices
  const { added, included } = yield* WorkspaceRoots
  yield* reportPending(projectServers(config), config, run)
  const configured = configuredServers(config.settings, run.extensions, run.sessionServers)
  yield* Effect.forEach(configured.warnings, warn, { discard: true })
  return yield* serviceOf(
    McpHub,
    hubFromConfig({
      config,
      configured,
      ofSession: new Set(Object.keys(run.sessionServers ?? {})),
      accepted: run.acceptedPrograms,
      named: run.allowedMcpServerNames,
      includeDirectories: included,
      addedRoots: added,
      sandbox: yield* Sandbox,
      ...(run.isInteractive ? { dialogue: yield* loginDialogue(config) } : {}),
      notice: yield* noticeOf
    })
  )
})

/** Servers speak of two severities. */
export const noticeOf = Effect.map(
  Notices,
  ({ info, warn }): HubOptions["notice"] =>
    (severity, text) =>
      severity === "info" ? info(text) : warn(text)
)

/** The page is opened and told; nothing can be pasted while the line belongs to the conversation. */
export const loginDialogue = ({ environment }: LoadedConfig) =>
  Effect.map(
    Notices,
    ({ say }): LoginDialogue => ({ tell: say, open: (url) => openPage(url, environment), pasted: Effect.never })
  )

/**
 * Waits until every server was tried, but no longer than `waitMs`; what comes later joins between two turns. Without a
 * limit nothing is waited for: a person at a terminal may begin to type at once.
 */
export const joinTools = Effect.fn("Mcp.joinTools")(function* ({ waitMs }: { readonly waitMs: number | undefined }) {
  const hub = yield* McpHub
  const registry = yield* ToolRegistry
  const policy = yield* Policy
  const { warn } = yield* Notices
  const joined = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<McpTool>>>(new Map())
  const voidApprovals = yield* makeVoiding
  yield* hub.follow(
    Effect.fnUntraced(function* (view) {
      yield* Effect.forEach(troublesOf(view), warn, { discard: true })
      if ((yield* Ref.get(joined)).get(view.name) === view.tools) return
      yield* Ref.update(joined, (known) => new Map(known).set(view.name, view.tools))
      yield* voidApprovals(view)
      const { doubles, single } = byRegisteredName(view.tools)
      yield* Effect.forEach(doubles, (name) =>
        warn(`MCP server "${view.name}": ${name} is left out: another of its tools has the same name once shortened`)
      )
      yield* registry.register(
        view.name,
        single.map((tool) => mcpTool(tool, hub, view.place))
      )
    })
  )
  if (waitMs === undefined) return
  yield* hub.settled.pipe(Effect.timeoutOption(waitMs))
  const servers = yield* hub.servers
  const rules = yield* policy.rules
  yield* Effect.forEach(
    servers.flatMap((view) => misnamedRules(rules, view)),
    warn,
    { discard: true }
  )
  const late = servers.filter(({ status }) => status === "connecting").map(({ name }) => name)
  if (late.length > 0) {
    const limit = Duration.format(Duration.millis(waitMs))
    yield* warn(
      `MCP servers that are not ready after ${limit} (mcp.startTimeout): ${late.join(", ")}; the run goes on, their tools join when they are`
    )
  }
})

/** Compares with what each tool said when it was last there: a server that was away may come back with others. */
const makeVoiding = Effect.gen(function* () {
  const policy = yield* Policy
  const { warn } = yield* Notices
  const lastSeen = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<McpTool>>>(new Map())
  return Effect.fnUntraced(function* ({ name, tools }: ServerView) {
    if (tools.length === 0) return
    const before = (yield* Ref.getAndUpdate(lastSeen, (all) => new Map(all).set(name, tools))).get(name) ?? []
    const voided = voidedApprovals(yield* policy.rules, name, changedTools(before, tools))
    if (voided.length === 0) return
    yield* policy.addRules(voided)
    const names = voided.map(({ toolName }) => toolName).join(", ")
    yield* warn(`MCP server "${name}" changed ${names}: approvals of this session do not count for it any more`)
  })
})

const troublesOf = ({ error, leftOut, name, status, warnings }: ServerView): ReadonlyArray<string> =>
  status === "blocked" || status === "disabled"
    ? []
    : [
        ...(error === undefined ? [] : [error.message]),
        ...warnings.map((text) => `MCP server "${name}": ${text}`),
        ...leftOut.map((tool) => `MCP server "${name}": its tool ${tool.name} is left out: ${tool.because}`)
      ]

const byRegisteredName = (tools: ReadonlyArray<McpTool>) => {
  const byName = new Map<string, McpTool>()
  const doubles: Array<string> = []
  for (const tool of tools) {
    const name = registeredName(tool.server, tool.name)
    if (byName.has(name)) doubles.push(tool.name)
    else byName.set(name, tool)
  }
  return { single: [...byName.values()], doubles }
}

/** Offered while some server has a resource. */
export const resourceTools: Effect.Effect<ReadonlyArray<JoinedTool>, never, McpHub> = Effect.gen(function* () {
  const services = yield* Effect.context<McpHub>()
  const hub = yield* McpHub
  const isOffered = Effect.map(hub.servers, (servers) => servers.some(({ resources }) => resources.length > 0))
  return [
    { tool: provideTool(readMcpResourceTool, services), after: "web_fetch", isOffered },
    { tool: provideTool(listMcpResourcesTool, services), after: "read_mcp_resource", isOffered }
  ]
})

export const addInstructions = (context: ContextFiles["Type"]) =>
  Effect.map(McpHub, (hub) =>
    ContextFiles.of({
      ...context,
      files: Effect.zipWith(context.files, hub.servers, (files, servers) => [
        ...files,
        ...servers.flatMap(instructionsOf)
      ])
    })
  )

/** Part of every first message: an essay is cut. */
const MAX_INSTRUCTION_CHARS = 20_000

const instructionsOf = ({ instructions = "", name, status }: ServerView): ReadonlyArray<ContextFile> => {
  const text = instructions.trim().slice(0, MAX_INSTRUCTION_CHARS)
  if (text === "" || status !== "connected") return []
  const place = `MCP server "${name}"`
  return [
    {
      path: place,
      tier: "project",
      block: contextBlock(place, insideFrame(text)),
      imported: []
    }
  ]
}
