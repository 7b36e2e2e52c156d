/** What is asked beside the protocol: tasks that are made and looked at without a message, and commands. */
import { type ListTasksRequest, type Task, TaskState } from "@a2a-js/sdk"
import { ServerCallContext, type TaskStore } from "@a2a-js/sdk/server"
import { Context, Effect, Either, Layer, Option, Predicate, Runtime, Schema, Scope } from "effect"
import * as Approval from "../../approval/approval.ts"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import type { Command } from "../../slash/command.ts"
import { CommandRegistry } from "../../slash/command-registry.ts"
import { ToolScheduler } from "../../tools/tool-scheduler.ts"
import * as UserQuestions from "../../tools/user-questions.ts"
import { type OpenedTask, TaskFault, type TaskHost } from "./task-host.ts"

interface RouteOptions {
  readonly store: TaskStore
  readonly hasWorkspace: boolean
}

/** Gives a prompt to a task of its own, and tells of it as a stream. */
export type RunPrompt = (words: string) => Promise<Response>

/** `undefined`: there is nothing at that path. */
export type TaskRoutes = (request: Request, path: string, runPrompt: RunPrompt) => Promise<Response | undefined>

const LISTED = ["extensions", "memory", "restore"]
/** `init` is carried out, but not listed: it takes a while, and is told as a stream. */
const OFFERED = [...LISTED, "init"]
/** They act on the project. */
const NEED_WORKSPACE = new Set(["init", "memory", "restore"])

const NewTask = Schema.Struct({
  contextId: Schema.optional(Schema.String),
  agentSettings: Schema.optional(
    Schema.Struct({ workspacePath: Schema.optional(Schema.String), autoExecute: Schema.optional(Schema.Boolean) })
  )
})

const nobody = { approval: Layer.succeed(Approval.Approval, Approval.headless), questions: UserQuestions.layerNone }

export const makeTaskRoutes = Effect.fnUntraced(function* (host: TaskHost, { hasWorkspace, store }: RouteOptions) {
  const scope = yield* Effect.scope
  const runtime = yield* Effect.runtime<never>()
  const room = yield* cachedOnce(
    Effect.suspend(() =>
      host.open({ taskId: crypto.randomUUID(), isKnown: false, folder: undefined, executesAll: false, person: nobody })
    ).pipe(Scope.extend(scope))
  )

  const newTask = Effect.fnUntraced(function* (body: unknown) {
    const given = Schema.decodeUnknownOption(NewTask)(body)
    if (Option.isNone(given)) return problem(400, "the body is not {agentSettings?, contextId?}")
    const { agentSettings = {}, contextId = crypto.randomUUID() } = given.value
    const id = crypto.randomUUID()
    const { autoExecute, workspacePath } = agentSettings
    const settings = { kind: "agent-settings", workspacePath, autoExecute }
    const task: Task = {
      id,
      contextId,
      status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
      artifacts: [],
      history: [],
      metadata: { __persistedState: { _agentSettings: settings, _taskState: "submitted" }, _contextId: contextId }
    }
    yield* Effect.promise(() => store.save(task, new ServerCallContext()))
    return Response.json(id, { status: 201 })
  })

  const metadata = Effect.fnUntraced(function* (task: Task) {
    const opened = yield* Effect.option(room)
    const shared = Option.isNone(opened) ? undefined : yield* about(opened.value)
    return { id: task.id, contextId: task.contextId, taskState: stateName(task), ...shared }
  })

  const allTasks = Effect.gen(function* () {
    const all = { pageSize: 100, pageToken: "" } as ListTasksRequest
    const { tasks } = yield* Effect.promise(() => store.list(all, new ServerCallContext()))
    return tasks.length === 0
      ? new Response(null, { status: 204 })
      : Response.json(yield* Effect.forEach(tasks, metadata, { concurrency: 1 }))
  })

  const oneTask = Effect.fnUntraced(function* (id: string) {
    const task = yield* Effect.promise(() => store.load(id, new ServerCallContext()))
    return task === undefined ? problem(404, "Task not found") : Response.json({ metadata: yield* metadata(task) })
  })

  const execute = Effect.fnUntraced(function* (body: unknown, runPrompt: RunPrompt) {
    if (!Predicate.hasProperty(body, "command") || typeof body.command !== "string") {
      return problem(400, 'Invalid "command" field.')
    }
    const args = Predicate.hasProperty(body, "args") && body.args !== undefined ? body.args : []
    if (!Array.isArray(args) || args.some((arg) => typeof arg !== "string"))
      return problem(400, '"args" field must be an array of texts.')
    const [word = ""] = body.command.trim().split(/\s+/, 1)
    if (!OFFERED.includes(word)) return problem(404, `Command not found: ${body.command}`)
    if (NEED_WORKSPACE.has(word) && !hasWorkspace) {
      return problem(400, `Command "${body.command}" requires a workspace, but CODER_AGENT_WORKSPACE_PATH is not set.`)
    }
    const registry = Context.get((yield* room).services, CommandRegistry)
    const line = ["/", [body.command.trim(), ...args].join(" ")].join("")
    const result = yield* Effect.either(registry.run(line, { isInteractive: false }))
    if (Either.isLeft(result)) return problem(500, result.left.message)
    if (result.right._tag === "Submit") {
      const { parts } = result.right.prompt
      return yield* Effect.promise(() => runPrompt(parts.map(({ text = "" }) => text).join("\n")))
    }
    if (result.right._tag === "Print" && word === "init") return streamed(result.right.text)
    return result.right._tag === "Print"
      ? Response.json({ name: body.command, data: result.right.data ?? result.right.text })
      : problem(500, `Command "${body.command}" needs somebody at a terminal.`)
  })

  const list = Effect.gen(function* () {
    const registry = Context.get((yield* room).services, CommandRegistry)
    const commands = (yield* registry.commands).filter(
      ({ name, source }) => source._tag === "BuiltIn" && LISTED.includes(name)
    )
    return Response.json({ commands: commands.map((command) => listed(command, "")) })
  })

  const routeOf = (method: string, path: string, body: unknown, runPrompt: RunPrompt) => {
    if (method === "POST" && path === "/tasks") return newTask(body)
    if (method === "GET" && path === "/tasks/metadata") return allTasks
    const id = /^\/tasks\/([\w-]{1,100})\/metadata$/.exec(path)?.[1]
    if (method === "GET" && id !== undefined) return oneTask(id)
    if (method === "POST" && path === "/executeCommand") return execute(body, runPrompt)
    return method === "GET" && path === "/listCommands" ? list : undefined
  }

  const routes: TaskRoutes = async (request, path, runPrompt) => {
    const text = request.method === "POST" ? await request.text() : ""
    const body = text.trim() === "" ? {} : parsed(text)
    const route = routeOf(request.method, path, body, runPrompt)
    if (route === undefined) return undefined
    if (body === undefined) return problem(400, "the body is not JSON")
    return Runtime.runPromise(runtime)(
      Effect.catchAll(route, (fault) =>
        Effect.succeed(problem(500, fault instanceof TaskFault ? fault.message : String(fault)))
      )
    )
  }
  return routes
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Words of a command as the only event of a stream. */
const streamed = (text: string): Response => {
  const [taskId, contextId, messageId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  const message = { kind: "message", role: "agent", messageId, taskId, contextId, parts: [{ kind: "text", text }] }
  const status = { state: "completed", message }
  const metadata = { coderAgent: { kind: "text-content" } }
  const result = { kind: "status-update", taskId, contextId, status, metadata, final: true }
  return new Response(`data: ${JSON.stringify({ jsonrpc: "2.0", id: taskId, result })}\n\n`, {
    headers: { "content-type": "text/event-stream" }
  })
}

const problem = (status: number, error: string): Response => Response.json({ error }, { status })

const about = Effect.fnUntraced(function* ({ services }: OpenedTask) {
  const model = yield* Context.get(services, SelectedModel).get
  const tools = yield* Context.get(services, ToolScheduler).declarations(model)
  const servers = yield* Context.get(services, McpHub).servers
  return {
    model,
    mcpServers: servers.map(({ name, status }) => ({ name, status })),
    availableTools: tools.map(({ description, name, parametersJsonSchema }) => ({
      name,
      description,
      parameterSchema: parametersJsonSchema
    }))
  }
})

const stateName = ({ status }: Task): string =>
  (TaskState[status?.state ?? TaskState.TASK_STATE_UNSPECIFIED] ?? "")
    .replace("TASK_STATE_", "")
    .toLowerCase()
    .replaceAll("_", "-")

interface ListedCommand {
  readonly name: string
  readonly description: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly subCommands: ReadonlyArray<ListedCommand>
}

const listed = ({ description, name, subcommands = [], usage }: Command, before: string): ListedCommand => {
  const path = `${before}${name}`
  return {
    name: path,
    description,
    arguments: usage === undefined ? [] : [{ name: usage, description: "" }],
    subCommands: subcommands.filter(({ isHidden }) => isHidden !== true).map((sub) => listed(sub, `${path} `))
  }
}
