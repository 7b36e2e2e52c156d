/**
 * A server as a child process: messages on its standard input and output, diagnostics on its standard error.
 *
 * Not the SDK's own transport, which shares our process group and forgets grandchildren. Here the server leads a group
 * of its own that ends with the scope, and with this program however that ends (`orphan-guard.ts`).
 */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Fiber, Random, Runtime } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"
import { none } from "../sandbox/sandbox.ts"
import { withVariables } from "../system/child-variables.ts"
import { COMMAND_MARK } from "../system/process-table.ts"
import { endTree, hasGroup } from "../system/process-tree.ts"
import { spawnProgram } from "../system/programs.ts"
import { McpError, type McpErrorKind } from "./mcp-error.ts"
import { MAX_MESSAGE_BYTES, messageLines } from "./message-lines.ts"
import { OrphanGuard } from "./orphan-guard.ts"
import type { ServerPlan, TransportPlan } from "./server-config.ts"
import { type StderrTail, stderrTail } from "./stderr-tail.ts"

export type StdioPlan = Extract<TransportPlan, { readonly kind: "stdio" }>

/** The end of its input is how a server is asked to leave; after that it is told. */
const LEAVE_WITHIN = "100 millis"
const END_WITHIN = "2 seconds"
/** Output that a child of the server may still hold open is not waited for. */
const DRAIN_WITHIN = "200 millis"

const LOGGED_BYTES = 2000

/** The transport, and why it ended once it has. */
export interface StdioTransport extends Transport {
  readonly failure: () => McpError | undefined
}

export const stdioTransport = Effect.fnUntraced(function* ({ name }: Pick<ServerPlan, "name">, plan: StdioPlan) {
  const guard = yield* OrphanGuard
  const mark = `mcp-${yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)}`
  const child = yield* Effect.acquireRelease(
    Effect.tap(start(name, plan, mark), ({ pid }) => guard.watch(pid)),
    (owned) => Effect.zipRight(end(owned, mark), guard.forget(owned.pid))
  )
  const runtime = yield* Effect.runtime<never>()
  const log = (text: string): void =>
    void Runtime.runFork(runtime)(
      Effect.annotateLogs(Effect.logDebug("an mcp server wrote to standard error"), { server: name, text })
    )
  const link = new ChildLink(name, child, log)
  const errors = yield* Effect.forkScoped(link.readErrors)
  yield* Effect.forkScoped(link.readMessages(Fiber.await(errors)))
  return link
})

type Child = Bun.Subprocess<"pipe", "pipe", "pipe">

const start = Effect.fnUntraced(function* (
  server: string,
  { args, command, cwd, env, sandbox = none }: StdioPlan,
  mark: string
) {
  const program = yield* sandbox
    .confine({ argv: [command, ...args], cwd, env: withVariables(env, { [COMMAND_MARK]: mark }) }, { access: "write" })
    .pipe(Effect.mapError(({ message }) => new McpError({ server, kind: "spawn", detail: message, hint: "" })))
  return yield* Effect.try({
    try: (): Child => spawnProgram(program, { stdin: "pipe", stdout: "pipe", stderr: "pipe", detached: true }),
    catch: (cause) =>
      new McpError({
        server,
        kind: "spawn",
        detail: `could not be started: ${command}: ${reasonOf(cause)}`,
        hint: `Check mcpServers.${server}.command and PATH.`
      })
  })
})

const reasonOf = (cause: unknown): string => {
  const text = messageOf(cause)
  return /ENOENT|not found/i.test(text) ? "no such program" : text.replace(/\s+/g, " ")
}

/** Quickly where the server leaves by itself, and in any case. */
const end = Effect.fnUntraced(function* (child: Child, mark: string) {
  // Nobody waits for what the pipe still holds: a server that does not read would keep it open.
  yield* Effect.forkDaemon(Effect.ignore(Effect.tryPromise(async () => child.stdin.end())))
  const left = yield* Effect.promise(() => child.exited).pipe(Effect.interruptible, Effect.timeoutOption(LEAVE_WITHIN))
  if (left._tag === "Some" && !hasGroup(child.pid)) return
  yield* endTree(child.pid, mark, END_WITHIN)
})

class ChildLink implements StdioTransport {
  onmessage?: Transport["onmessage"]
  onerror?: Transport["onerror"]
  onclose?: Transport["onclose"]
  private ended: McpError | undefined
  private isClosed = false
  private readonly closing = Promise.withResolvers<void>()
  private readonly tail: StderrTail = stderrTail()

  private readonly server: string
  private readonly child: Child
  private readonly log: (text: string) => void

  constructor(server: string, child: Child, log: (text: string) => void) {
    this.server = server
    this.child = child
    this.log = log
  }

  /** It runs already; messages are read from the moment somebody can take them. */
  start(): Promise<void> {
    return Promise.resolve()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.isClosed) throw this.ended ?? this.fail("closed", "has closed the connection")
    try {
      await this.child.stdin.write(`${JSON.stringify(message)}\n`)
      await this.child.stdin.flush()
    } catch {
      // It takes no more input. Why is known when it has ended; until then the limit of the request counts.
      await this.closing.promise
      throw this.ended
    }
  }

  close(): Promise<void> {
    this.finish()
    return Promise.resolve()
  }

  failure(): McpError | undefined {
    return this.ended
  }

  readonly readErrors = Effect.suspend(() =>
    pump(this.child.stderr, (chunk) => {
      this.tail.add(chunk)
      this.log(new TextDecoder().decode(chunk.subarray(0, LOGGED_BYTES)))
    })
  )

  /** `lastWords` ends when all of its standard error has been read. */
  readMessages(lastWords: Effect.Effect<unknown>): Effect.Effect<void> {
    const take = messageLines({
      onMessage: (line) => this.receive(line),
      onNoise: (line) => this.onerror?.(new Error(`not a message: ${line.slice(0, 200)}`)),
      onTooLong: () => {
        this.fail("too-large", `sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`)
        this.finish()
      }
    })
    const exited = Effect.promise(() => this.child.exited)
    return pump(this.child.stdout, take).pipe(
      Effect.raceFirst(Effect.zipRight(exited, Effect.sleep(DRAIN_WITHIN))),
      Effect.zipRight(Effect.timeoutOption(Effect.zipRight(exited, lastWords), DRAIN_WITHIN)),
      Effect.zipRight(Effect.sync(() => this.finish()))
    )
  }

  private receive(line: string): void {
    try {
      // The protocol of the SDK checks every message that it acts on.
      this.onmessage?.(JSON.parse(line))
    } catch (cause) {
      this.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  private finish(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.ended ??= this.fail("exited", this.howItEnded())
    this.closing.resolve()
    this.onclose?.()
  }

  private howItEnded(): string {
    const { exitCode, signalCode } = this.child
    const how =
      signalCode !== null
        ? `was ended by ${signalCode}`
        : exitCode === null
          ? "closed its output"
          : `ended with exit code ${exitCode}`
    const said = this.tail.lastWords()
    return said === "" ? how : `${how} and said: ${said}`
  }

  private fail(kind: McpErrorKind, detail: string): McpError {
    this.ended ??= new McpError({ server: this.server, kind, detail })
    return this.ended
  }
}

/** Reads to the end; a read error means the same. */
const pump = (stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => stream.getReader()),
    (reader) =>
      Effect.ignore(
        Effect.tryPromise(async () => {
          for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value)
        })
      ),
    (reader) => Effect.promise(() => reader.cancel().catch(() => undefined))
  )
