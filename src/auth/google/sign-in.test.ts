/** How long a sign-in waits for a person, and turning away from it. The rest of it is tested through the program. */
import { describe, expect } from "bun:test"
import { Effect, Either, Fiber, Option, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import type { AuthError } from "../auth-plan.ts"
import { type SignInDialogue, signIn } from "./sign-in.ts"
import type { CredentialStore } from "./stored-credentials.ts"

const oauth = { id: "client", secret: undefined, authorizeUrl: "https://a.test/o", tokenUrl: "https://a.test/t" }

/** Nobody is asked anything over the network before a person has come. */
const begin = (dialogue: Partial<SignInDialogue>) => {
  const said: Array<string> = []
  const store: CredentialStore = {
    place: "nowhere",
    file: "/nowhere",
    foundIn: Effect.succeed("nowhere"),
    read: Effect.succeedNone,
    write: () => Effect.dieMessage("nothing is kept"),
    forget: Effect.succeed(false),
    alone: (work) => work
  }
  const http = {
    certificates: () => Promise.resolve([]),
    proxyFor: () => undefined,
    exchange: () => Promise.reject(new Error("nothing is sent"))
  }
  const signingIn = signIn({
    oauth: { ...oauth, userInfoUrl: "https://a.test/u" },
    http,
    store,
    accountsFile: "/nowhere",
    variable: () => undefined,
    dialogue: { tell: (line) => Effect.sync(() => void said.push(line)), ask: () => Effect.succeed("y"), ...dialogue }
  })
  return Effect.map(Effect.fork(Effect.either(signingIn)), (fiber) => ({ fiber, said }))
}

const pages = (said: ReadonlyArray<string>) => said.filter((line) => line.includes("https://a.test/o?"))
const outcome = (ended: Option.Option<unknown>) => (Option.isSome(ended) ? "ended" : "waits")
const soon = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const refusal = (fiber: Fiber.Fiber<Either.Either<unknown, AuthError>>) =>
  Effect.map(Fiber.join(fiber), (result) => (Either.isLeft(result) ? result.left.message : ""))

describe("a sign-in", () => {
  it.effect("in the browser waits five minutes", () =>
    Effect.gen(function* () {
      const { fiber, said } = yield* begin({ open: () => Effect.void })
      while (pages(said).length === 0) yield* soon
      yield* soon
      yield* TestClock.adjust("299 seconds")
      expect(outcome(yield* Fiber.poll(fiber))).toBe("waits")
      yield* TestClock.adjust("1 second")
      expect(yield* refusal(fiber)).toContain("nobody signed in within 5m")
    })
  )

  it.effect("with a code waits five minutes for each of two pages", () =>
    Effect.gen(function* () {
      const { fiber, said } = yield* begin({ ask: () => Effect.never })
      yield* TestClock.adjust("5 minutes")
      yield* TestClock.adjust("299 seconds")
      expect([outcome(yield* Fiber.poll(fiber)), new Set(pages(said)).size]).toEqual(["waits", 2])
      yield* TestClock.adjust("1 second")
      expect(yield* refusal(fiber)).toContain("nobody signed in within 5m")
    })
  )

  it.effect("ends when the person does not want to wait any more", () =>
    Effect.gen(function* () {
      const { fiber } = yield* begin({ open: () => Effect.void, cancelled: Effect.sleep("1 second") })
      yield* soon
      yield* TestClock.adjust("1 second")
      expect(yield* refusal(fiber)).toContain("it was cancelled")
    })
  )
})
