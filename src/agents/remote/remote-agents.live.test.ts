import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { card } from "../../../test/kit/a2a-agent.ts"
import { type A2aOptions, startA2aServer } from "../../../test/kit/a2a-server.ts"
import { it } from "../../../test/kit/it.ts"
import { agentAt, remoteRoom } from "../../../test/kit/remote-room.ts"
import { untrusted } from "../../kernel/prompt-frames.ts"

const served = (options?: A2aOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => startA2aServer(options)),
    (server) => Effect.promise(() => server[Symbol.asyncDispose]())
  )

describe.each([
  ["1.0", "JSONRPC"],
  ["0.3", "JSONRPC"],
  ["1.0", "HTTP+JSON"]
] as const)("an agent that speaks %s over %s", (version, binding) => {
  it.live("introduces itself by its card", () =>
    Effect.gen(function* () {
      const { remote } = yield* remoteRoom()
      expect(yield* remote.introduce(agentAt(yield* served({ version, binding })))).toEqual({
        description: "Works elsewhere.\nSkills:\n- Far sight: Sees far.",
        warnings: []
      })
    })
  )

  it.live("answers with a message, and streams a task with its artifacts", () =>
    Effect.gen(function* () {
      const agent = agentAt(yield* served({ version, binding }))
      const { events, say } = yield* remoteRoom()
      expect(yield* say(agent, "hello there")).toMatchObject({ right: { forModel: untrusted("hello yourself") } })
      expect(yield* say(agent, "stream it")).toMatchObject({
        right: {
          forModel: untrusted("looking\n\ndone\n\nArtifact (Report):\npart one, part two"),
          data: { state: "completed" }
        }
      })
      const steps = events.map((event) => (event._tag === "Subagent" ? event.event._tag : event._tag))
      expect(steps).toEqual(["AgentStarted", "Text", "AgentFinished", "AgentStarted", "Text", "Text", "AgentFinished"])
    })
  )

  it.live("fails in words", () =>
    Effect.gen(function* () {
      const { say } = yield* remoteRoom()
      expect(yield* say(agentAt(yield* served({ version, binding })), "fail")).toMatchObject({
        left: {
          message: `The remote agent far did not do it (failed).\n${untrusted("the disk is gone")}\n\n[The task failed.]`
        }
      })
    })
  )

  it.live("asks for input, and goes on with the same task; a task that ended is not gone on with", () =>
    Effect.gen(function* () {
      const server = yield* served({ version, binding })
      const agent = agentAt(server)
      const { say } = yield* remoteRoom()
      expect(yield* say(agent, "ask me")).toMatchObject({
        right: {
          forModel: `${untrusted("which file?")}\n\n[The task is open: the agent waits for an answer. Call it again with one.]`,
          data: { state: "input-required" }
        }
      })
      expect(yield* say(agent, "a.txt")).toMatchObject({ right: { forModel: untrusted("you said: a.txt") } })
      expect(yield* say(agent, "once more")).toMatchObject({ right: { forModel: untrusted("you said: once more") } })
      const [first, second, third] = server.received
      expect(first).toEqual({ text: "ask me", contextId: expect.any(String), taskId: expect.any(String) })
      expect(second?.taskId).not.toBe("")
      expect(third?.contextId).toBe(second?.contextId ?? "?")
      expect(third?.taskId).not.toBe(second?.taskId ?? "?")
    })
  )
})

it.live("needed authorisation is told, and the task stays open", () =>
  Effect.gen(function* () {
    const { say } = yield* remoteRoom()
    const answer = yield* say(agentAt(yield* served()), "login first")
    expect(JSON.stringify(answer)).toContain("needs authorisation before it can go on")
  })
)

it.live("a task that somebody else cancelled is told as a failure", () =>
  Effect.gen(function* () {
    const { say } = yield* remoteRoom()
    expect(yield* say(agentAt(yield* served()), "cancel it")).toMatchObject({
      left: { message: expect.stringContaining(`did not do it (canceled).\n${untrusted("somebody stopped it")}`) }
    })
  })
)

it.live("a cancelled call ends the connection at once", () =>
  Effect.gen(function* () {
    const server = yield* served()
    const { events, say } = yield* remoteRoom()
    const fiber = yield* Effect.fork(say(agentAt(server), "wait for me"))
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => server.received.length > 0 })
    yield* Fiber.interrupt(fiber)
    expect(events.at(-1)).toMatchObject({ event: { _tag: "AgentFinished", reason: "ABORTED" } })
  })
)

describe("signing in", () => {
  it.live("a card that is hidden is asked for again with credentials", () =>
    Effect.gen(function* () {
      const server = yield* served({ hidesCard: true, accepts: (given) => given === "Bearer s3cret" })
      const auth = { type: "http", scheme: "Bearer", credentials: { _tag: "token", token: "$TOKEN" } } as const
      const { say } = yield* remoteRoom({ TOKEN: "s3cret" })
      expect(yield* say(agentAt(server, { auth }), "hello")).toMatchObject({
        right: { forModel: untrusted("hello yourself") }
      })
      expect(server.authorizations).toEqual(["", "Bearer s3cret", "Bearer s3cret"])
    })
  )

  it.live("a key in its header, from a command; refused credentials are made anew twice, and no more", () =>
    Effect.gen(function* () {
      const server = yield* served({ accepts: () => false })
      const auth = { type: "apiKey", key: "!pass show far", name: "X-API-Key" } as const
      const { say } = yield* remoteRoom()
      expect(yield* say(agentAt(server, { auth }), "hello")).toMatchObject({ left: { type: "execution_failed" } })
      expect(server.authorizations).toEqual(["", ...Array(3).fill("pass show far printed")])
    })
  )

  it.live("a variable that is not set is named", () =>
    Effect.gen(function* () {
      const auth = { type: "apiKey", key: "$NOT_THERE", name: "X-API-Key" } as const
      const { say } = yield* remoteRoom()
      const answer = yield* say(agentAt(yield* served(), { auth }), "hello")
      expect(JSON.stringify(answer)).toContain("the variable NOT_THERE is not set")
    })
  )

  it.live("one that hides its card is not told as one that cannot be reached", () =>
    Effect.gen(function* () {
      const auth = { type: "apiKey", key: "$NOT_THERE", name: "X-API-Key" } as const
      const { remote } = yield* remoteRoom()
      const hidden = yield* served({ hidesCard: true, accepts: () => false })
      const error = yield* Effect.flip(remote.introduce(agentAt(hidden, { auth })))
      expect(error.message).toBe("the variable NOT_THERE is not set (check auth in its definition)")
    })
  )

  it.live("a definition that was read again counts, under the same name", () =>
    Effect.gen(function* () {
      const server = yield* served({ accepts: (given) => given === "right" })
      const withKey = (key: string) => agentAt(server, { auth: { type: "apiKey", key, name: "X-API-Key" } })
      const { say } = yield* remoteRoom()
      expect(yield* say(withKey("wrong"), "hello")).toMatchObject({ left: { type: "execution_failed" } })
      expect(yield* say(withKey("right"), "hello")).toMatchObject({ right: { forModel: untrusted("hello yourself") } })
    })
  )

  it.live("a way to sign in that the card does not name is a warning", () =>
    Effect.gen(function* () {
      const { remote } = yield* remoteRoom()
      const { url } = yield* served()
      const json = JSON.stringify({
        name: "a",
        description: "b",
        url,
        protocolVersion: "0.3.0",
        capabilities: {},
        skills: [],
        securitySchemes: { key: { type: "apiKey", in: "header", name: "X" } }
      })
      const { warnings } = yield* remote.introduce({ kind: "remote", name: "far", card: { _tag: "inline", json } })
      expect(warnings).toEqual(["its card asks for apiKey, and its definition has no auth"])
    })
  )
})

describe("an agent that cannot be used", () => {
  it.live("answers with a page instead of a message: what matters of it is told", () =>
    Effect.gen(function* () {
      const page = `<!DOCTYPE html><html>${"x".repeat(100_000)}</html>`
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            port: 0,
            fetch: ({ method, url }) =>
              method === "GET"
                ? Response.json(card(url, { binding: "JSONRPC", version: "1.0" }))
                : new Response(page, { status: 502 })
          })
        ),
        (one) => Effect.promise(() => one.stop(true))
      )
      const { say } = yield* remoteRoom()
      const answer = yield* say(agentAt({ cardUrl: server.url.href }), "hello")
      expect(JSON.stringify(answer)).toContain("502")
      expect(JSON.stringify(answer).length).toBeLessThan(1_000)
    })
  )

  for (const [name, kind, answer] of [
    ["a card that is not there", "not-found", () => new Response("", { status: 404 })],
    ["a card that is refused", "auth", () => new Response("", { status: 403 })],
    ["a server in trouble", "connection", () => new Response("", { status: 503 })],
    ["a card that is none", "card", () => new Response("<html>")]
  ] as const)
    it.live(name, () =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.sync(() => Bun.serve({ port: 0, fetch: answer })),
          (one) => Effect.promise(() => one.stop(true))
        )
        const { remote } = yield* remoteRoom()
        const error = yield* Effect.flip(remote.introduce(agentAt({ cardUrl: server.url.href })))
        expect(error.kind).toBe(kind)
      })
    )
})
