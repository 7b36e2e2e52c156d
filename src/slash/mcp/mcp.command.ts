/** `/mcp`: the servers of this session, what they offer, and what to do about one that does not work. */
import { Effect } from "effect"
import { Storage } from "../../config/storage.ts"
import { setDisabled } from "../../mcp/enablement-file.ts"
import { McpHub, type ServerView } from "../../mcp/mcp-hub.ts"
import { serverDocument, serverLine, troublesOf } from "../../mcp/server-report.ts"
import { registeredName } from "../../mcp/tool-name.ts"
import { type Command, type CommandCandidate, print, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"
import { failed, usageOf } from "../command-error.ts"

type Detail = "names" | "descriptions" | "schemas"

const list = (detail: Detail) =>
  Effect.fnUntraced(function* () {
    const hub = yield* McpHub
    const servers = yield* hub.servers
    return servers.length === 0
      ? print(NO_SERVERS, [])
      : print(servers.map((server) => serverText(server, detail)).join("\n\n"), servers.map(serverDocument))
  })

const serverText = (server: ServerView, detail: Detail): string =>
  [
    serverLine(server),
    ...(server.description === undefined || detail === "names" ? [] : [`  ${server.description}`]),
    ...troublesOf(server).map((text) => `  ! ${text}`),
    ...server.tools.flatMap(({ description, inputSchema, name }) => [
      `  ${name} (${registeredName(server.name, name)})`,
      ...(detail === "names" || description === "" ? [] : [indented(description)]),
      ...(detail === "schemas" ? [indented(JSON.stringify(inputSchema, null, 2))] : [])
    ]),
    ...section(
      "prompts",
      server.prompts.map(({ name }) => name)
    ),
    ...section(
      "resources",
      server.resources.map(({ uri }) => uri)
    )
  ].join("\n")

const indented = (text: string): string => `      ${text.trim().replaceAll("\n", "\n      ")}`

const section = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`  ${title}: ${names.join(", ")}`]

const serverNames = Effect.fnUntraced(function* (typed: string) {
  const hub = yield* McpHub
  const candidates: ReadonlyArray<CommandCandidate> = (yield* hub.servers)
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, status }) => ({ value: name, hint: status }))
  return { from: 0, candidates }
})

/** What became of the servers. */
const stateOf = Effect.fnUntraced(function* (wanted: string | undefined) {
  const hub = yield* McpHub
  const servers = (yield* hub.servers).filter(({ name }) => wanted === undefined || name === wanted)
  return print(
    servers.flatMap((server) => [serverLine(server), ...troublesOf(server)]).join("\n"),
    servers.map(serverDocument)
  )
})

const auth = slash({
  name: "auth",
  description: "Log in to a server",
  usage: "[name]",
  complete: serverNames,
  run: Effect.fnUntraced(function* ({ args }) {
    const hub = yield* McpHub
    if (args !== "") {
      yield* Effect.mapError(hub.logIn(args), failed)
      return yield* stateOf(args)
    }
    const waiting = (yield* hub.servers)
      .filter(({ error, hasLogin }) => hasLogin || error?.kind === "unauthorized")
      .map(({ name }) => name)
    return print(
      waiting.length === 0 ? "No server asks for a login." : `Servers with a login: ${waiting.join(", ")}`,
      waiting
    )
  })
})

const NO_SERVERS = 'No MCP servers are configured. "gemini mcp add" adds one.'

const reload = slash({
  name: "reload",
  aliases: ["refresh"],
  description: "Start servers again",
  usage: "[name]",
  complete: serverNames,
  run: Effect.fnUntraced(function* ({ args }) {
    const hub = yield* McpHub
    const name = args === "" ? undefined : args
    yield* Effect.mapError(hub.reload(name), failed)
    return (yield* hub.servers).length === 0 ? print(NO_SERVERS, []) : yield* stateOf(name)
  })
})

/** For good, unless it is for this session only. */
const turn = (verb: "enable" | "disable", description: string): Command<McpHub | Storage> =>
  slash({
    name: verb,
    description,
    usage: "<name> [--session]",
    complete: serverNames,
    run: Effect.fnUntraced(function* ({ args }) {
      const hub = yield* McpHub
      const storage = yield* Storage
      const { has, text } = parseArguments(args)
      if (text === "") return yield* usageOf(`mcp ${verb}`, "<name> [--session]")
      yield* Effect.mapError(hub.setEnabled(text, verb === "enable"), failed)
      if (!has("session")) {
        yield* Effect.mapError(setDisabled(storage.mcpEnablementFile, text, verb === "disable"), failed)
      }
      return yield* stateOf(text)
    })
  })

export const mcp = slash({
  name: "mcp",
  description: "MCP servers and what they offer",
  run: list("names"),
  subcommands: [
    slash({ name: "list", aliases: ["ls", "nodesc"], description: "Servers and their tools", run: list("names") }),
    slash({ name: "desc", aliases: ["description"], description: "With descriptions", run: list("descriptions") }),
    slash({ name: "schema", description: "With descriptions and schemas", run: list("schemas") }),
    auth,
    reload,
    turn("enable", "Turn a server on"),
    turn("disable", "Turn a server off")
  ]
})
