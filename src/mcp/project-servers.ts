/**
 * MCP servers that the settings of a project bring along, for the run or for one of its agents. They run with the user's
 * rights, or get what the model sends them: each is confirmed in its present form, like the project's hooks.
 */

import { resolve } from "node:path"
import { Predicate } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { fingerprintOf, inOrder, type ProjectProgram, projectSource } from "../config/programs/project-program.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { SettingSource, SettingsView } from "../config/settings.ts"
import { splitCommandLine } from "../kernel/command-line.ts"
import { targetOf } from "./server-config.ts"

export interface ProjectServer extends ProjectProgram {
  readonly name: string
  /** Of this agent alone. */
  readonly agent?: string
}

/** All of them: of the run, and of agents whose definitions the project changes. */
export const projectServers = ({ environment, settings }: Pick<LoadedConfig, "environment" | "settings">) => {
  const project = environment.cwd
  return [
    ...[...serversIn(settings)].map(([name, { server, source }]) => programOf({ name, server, source }, project)),
    ...agentServers(settings).map((one) => programOf(one, project))
  ]
}

interface FoundServer {
  readonly name: string
  readonly agent?: string
  readonly server: McpServer
  readonly source: SettingSource
}

type Sourced = Omit<FoundServer, "name" | "agent">

const serversIn = (settings: SettingsView): ReadonlyMap<string, Sourced> => {
  const command = projectSource(settings, "mcp.serverCommand")
  const [program, ...args] = splitCommandLine(String(command?.value ?? "")) ?? []
  const own = lastWords(settings.explain("mcpServers").sources, (value) => value)
  return new Map([
    ...(command === undefined || program === undefined
      ? []
      : [["mcp", { server: { command: program, args }, source: command }] as const]),
    ...own
  ])
}

/** Deeply merged, so that the project may change a part of what the user wrote: the whole counts then. */
const agentServers = (settings: SettingsView): ReadonlyArray<FoundServer> => {
  const { sources, value } = settings.explain("agents.overrides")
  const overrides = Predicate.isReadonlyRecord(value) ? value : {}
  return Object.keys(overrides).flatMap((agent) =>
    lastWords(sources, (written) => serversOfAgent(written, agent)).map(([name, { server, source }]) => ({
      agent,
      name,
      source,
      server: serversOfAgent(overrides, agent)[name] ?? server
    }))
  )
}

const serversOfAgent = (overrides: unknown, agent: string): Readonly<Record<string, McpServer>> => {
  const own = Predicate.isReadonlyRecord(overrides) && Object.hasOwn(overrides, agent) ? overrides[agent] : undefined
  const servers = Predicate.isReadonlyRecord(own) ? own.mcpServers : undefined
  // Decoded by the schema of its row when the settings were read.
  return Predicate.isReadonlyRecord(servers) ? (servers as Readonly<Record<string, McpServer>>) : {}
}

/** Servers on which the project's file has the last word, unless another file of the user's says the very same. */
const lastWords = (
  sources: ReadonlyArray<SettingSource>,
  serversOf: (value: unknown) => unknown
): ReadonlyArray<readonly [string, Sourced]> => {
  const found = new Map<string, Sourced & { readonly isOwn: boolean }>()
  for (const source of sources) {
    const servers = source.value === null ? {} : serversOf(source.value)
    if (source.value === null) found.clear()
    if (!Predicate.isReadonlyRecord(servers)) continue
    for (const [name, server] of Object.entries(servers) as ReadonlyArray<[string, McpServer]>) {
      const before = found.get(name)
      const isOwn =
        source.scope !== "workspace" || (before?.isOwn === true && Bun.deepEquals(before.server, server, true))
      found.set(name, { server, source, isOwn })
    }
  }
  return [...found].filter(([, { isOwn }]) => !isOwn).map(([name, { server, source }]) => [name, { server, source }])
}

const programOf = ({ agent, name, server, source }: FoundServer, project: string): ProjectServer => {
  const { description: _, ...says } = server
  const folder = server.cwd === undefined ? project : resolve(project, server.cwd)
  const line = [server.command ?? "", ...(server.args ?? [])].map(asWord).join(" ")
  return {
    kind: "server",
    name,
    ...(agent === undefined ? {} : { agent }),
    what: `MCP server ${name}${agent === undefined ? "" : ` of agent ${agent}`}: ${whatRuns(server)}`,
    place: `${source.file}:${source.line}`,
    fingerprint: fingerprintOf(
      { kind: "server", says: [agent ?? "", name, inOrder(says)], commands: [line], folder },
      project
    )
  }
}

const asWord = (word: string): string => (/[\s"';|&()<>]/.test(word) ? `'${word.replaceAll("'", "")}'` : word)

/** With everything that decides what it does. */
const whatRuns = (server: McpServer): string => {
  const { cwd, env = {}, headers = {}, trust } = server
  const details = [
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(Object.keys(env).length === 0 ? [] : [`with ${pairsIn(env)}`]),
    ...(Object.keys(headers).length === 0 ? [] : [`with headers ${Object.keys(headers).join(", ")}`]),
    ...(trust === true ? ["its tools run unasked"] : [])
  ]
  return [targetOf(server), ...details].join("; ")
}

const SHOWN_CHARS = 60

const pairsIn = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}...` : value}`)
    .join(" ")
