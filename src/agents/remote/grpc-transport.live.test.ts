import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { type GrpcOptions, startGrpcAgent } from "../../../test/kit/a2a-grpc.ts"
import { it } from "../../../test/kit/it.ts"
import { agentAt, remoteRoom } from "../../../test/kit/remote-room.ts"
import { untrusted } from "../../kernel/prompt-frames.ts"

const served = (options?: GrpcOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startGrpcAgent(options)),
    (server) => Effect.promise(() => server[Symbol.asyncDispose]())
  )

describe("an agent that speaks gRPC", () => {
  it.live("introduces itself, answers, streams and fails in words", () =>
    Effect.gen(function* () {
      const { remote, say } = yield* remoteRoom()
      const agent = agentAt(yield* served())
      expect(yield* remote.introduce(agent)).toMatchObject({ warnings: [] })
      expect(yield* say(agent, "hello there")).toMatchObject({ right: { forModel: untrusted("hello yourself") } })
      expect(yield* say(agent, "stream it")).toMatchObject({
        right: {
          forModel: untrusted("looking\n\ndone\n\nArtifact (Report):\npart one, part two"),
          data: { state: "completed" }
        }
      })
      expect(yield* say(agent, "fail")).toMatchObject({
        left: { message: expect.stringContaining("the disk is gone") }
      })
    })
  )

  it.live("asks for input, and goes on with the same task", () =>
    Effect.gen(function* () {
      const { say } = yield* remoteRoom()
      const server = yield* served()
      yield* say(agentAt(server), "ask me")
      expect(yield* say(agentAt(server), "a.txt")).toMatchObject({ right: { forModel: untrusted("you said: a.txt") } })
      const [first, second] = server.received
      expect(second).toMatchObject({ contextId: first?.contextId ?? "?", taskId: expect.stringMatching(/./) })
    })
  )

  it.live("gets credentials; what it refuses is made anew twice, and no more", () =>
    Effect.gen(function* () {
      const auth = { type: "http", scheme: "Bearer", credentials: { _tag: "token", token: "$TOKEN" } } as const
      const { say } = yield* remoteRoom({ TOKEN: "s3cret" })
      const open = yield* served({ accepts: (given) => given === "Bearer s3cret" })
      expect(yield* say(agentAt(open, { auth }), "hello")).toMatchObject({
        right: { forModel: untrusted("hello yourself") }
      })
      expect(open.authorizations).toEqual(["Bearer s3cret"])
      const closed = yield* served({ accepts: () => false })
      const answer = yield* say(agentAt(closed, { auth, name: "closed" }), "hello")
      expect(answer).toMatchObject({ left: { message: expect.stringContaining("who are you?") } })
      expect(closed.authorizations).toEqual(Array(3).fill("Bearer s3cret"))
    })
  )

  it.live("a cancelled call ends at once", () =>
    Effect.gen(function* () {
      const { events, say } = yield* remoteRoom()
      const server = yield* served()
      const fiber = yield* Effect.fork(say(agentAt(server), "wait for me"))
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => server.received.length > 0 })
      yield* Fiber.interrupt(fiber)
      expect(events.at(-1)).toMatchObject({ event: { _tag: "AgentFinished", reason: "ABORTED" } })
    })
  )
})
