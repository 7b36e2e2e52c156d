import { describe, expect } from "bun:test"
import { Deferred, Effect, Fiber, Option, Queue, Ref } from "effect"
import { it } from "../../test/kit/it.ts"
import { CTRL_C, CTRL_D, ESC, makeReplRoom, type ReplRoom } from "../../test/kit/repl-room.ts"
import { type Input, makeInput, type PromptGate } from "./input.ts"

const OPEN: PromptGate = {
  isOpen: Effect.succeed(true),
  opened: Effect.void,
  holds: () => Effect.succeed(false),
  releases: Effect.succeed(true)
}

/** Holds whatever is no command until it is opened. */
const closedGate = Effect.map(Deferred.make<void>(), (opened) => {
  const isOpen = Deferred.isDone(opened)
  return {
    open: Effect.asVoid(Deferred.succeed(opened, undefined)),
    gate: {
      isOpen,
      opened: Deferred.await(opened),
      holds: (line: string) => Effect.map(isOpen, (open) => !open && !line.startsWith("/")),
      releases: isOpen
    }
  }
})

const withInput = (
  body: (input: Input, room: ReplRoom, signal: Effect.Effect<void>) => Effect.Effect<void>,
  runsBeside: (line: string) => Effect.Effect<boolean> = () => Effect.succeed(false),
  waiting: ReadonlyArray<string> = [],
  gate: PromptGate = OPEN,
  hasEnded = false
) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    const signals = yield* Queue.unbounded<void>()
    const request = Effect.succeed({ prompt: () => "> " })
    const input = yield* Effect.provide(
      makeInput({
        request,
        interrupted: Queue.take(signals),
        waiting,
        hasEnded,
        runsBeside,
        gate,
        cancelled: Effect.void
      }),
      room.layer
    )
    yield* body(input, room, Effect.asVoid(Queue.offer(signals, undefined)))
  }).pipe(Effect.scoped)

describe("input", () => {
  it.effect("what is entered is read line by line", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        yield* room.enter("one", "two", CTRL_D)
        expect(yield* input.next).toEqual({ _tag: "Line", text: "one" })
        expect(yield* input.next).toEqual({ _tag: "Line", text: "two" })
        expect(yield* input.next).toEqual(CTRL_D)
      })
    )
  )

  it.effect("what is entered while something runs waits until it is done", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<string>()
        const work = Effect.gen(function* () {
          yield* room.enter("one", "two", "/help")
          yield* Effect.yieldNow().pipe(Effect.repeatN(50))
          yield* Deferred.succeed(done, "answer")
          return yield* Deferred.await(done)
        })
        expect(yield* input.during(work)).toEqual(Option.some("answer"))
        expect(room.log).toEqual(["busy", "idle"])
        expect(yield* input.waiting).toEqual(["one", "two", "/help"])
        expect(yield* input.next).toEqual({ _tag: "Line", text: "one\n\ntwo" })
        expect(yield* input.next).toEqual({ _tag: "Line", text: "/help" })
      })
    )
  )

  it.effect("what a session before this one was not given comes first", () =>
    withInput(
      (input, room) =>
        Effect.gen(function* () {
          yield* room.enter("later")
          expect(yield* input.next).toEqual({ _tag: "Line", text: "/memory list" })
          expect(yield* input.next).toEqual({ _tag: "Line", text: "later" })
        }),
      undefined,
      ["/memory list"]
    )
  )

  it.effect("the end of the input that was entered while something ran is known to whoever reads next", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        expect(yield* input.hasEnded).toBe(false)
        yield* room.enter("/about", CTRL_D)
        yield* input.during(Effect.yieldNow().pipe(Effect.repeatN(50)))
        expect(yield* input.waiting).toEqual(["/about"])
        expect(yield* input.hasEnded).toBe(true)
      })
    )
  )

  it.effect("after what waits, a session that begins at its end has nothing to read", () =>
    withInput(
      (input, room) =>
        Effect.gen(function* () {
          expect(yield* input.next).toEqual({ _tag: "Line", text: "/about" })
          expect(yield* input.next).toEqual(CTRL_D)
          expect(room.readings.length).toBe(0)
        }),
      undefined,
      ["/about"],
      OPEN,
      true
    )
  )

  it.effect("a line that is being typed when the work ends stays open", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        yield* input.during(Effect.yieldNow().pipe(Effect.repeatN(50)))
        yield* room.enter("still here")
        expect(yield* input.next).toEqual({ _tag: "Line", text: "still here" })
        expect(room.readings.length).toBe(1)
      })
    )
  )

  for (const [name, key] of [
    ["Ctrl-C", CTRL_C],
    ["Esc", ESC]
  ] as const) {
    it.effect(`${name} on an empty line cancels the work, and waits until it has tidied up`, () =>
      withInput((input, room) =>
        Effect.gen(function* () {
          const tidied = yield* Ref.make(false)
          const work = Effect.onInterrupt(Effect.never, () => Effect.zipRight(Effect.yieldNow(), Ref.set(tidied, true)))
          yield* room.enter(key)
          expect(yield* input.during(work)).toEqual(Option.none())
          expect(yield* Ref.get(tidied)).toBe(true)
        })
      )
    )
  }

  it.effect("a signal cancels the work as Ctrl-C does, and leaves the line alone", () =>
    withInput((input, room, signal) =>
      Effect.gen(function* () {
        yield* signal
        expect(yield* input.during(Effect.never)).toEqual(Option.none())
        yield* room.enter("typed")
        expect(yield* input.next).toEqual({ _tag: "Line", text: "typed" })
        expect(room.readings.length).toBe(1)
      })
    )
  )

  it.effect("work that cancels itself counts as cancelled", () =>
    withInput((input) => Effect.map(input.during(Effect.interrupt), (done) => expect(done).toEqual(Option.none())))
  )

  it.effect("what waited when the work was cancelled is given back to be edited, not sent", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        yield* room.enter("one", "two", CTRL_C)
        expect(yield* input.during(Effect.never)).toEqual(Option.none())
        yield* Effect.yieldNow()
        expect(room.readings.at(-1)?.initial).toBe("one\n\ntwo")
      })
    )
  )

  it.effect("the end of the input lets the work finish, and then ends the conversation", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        yield* room.enter("last", CTRL_D)
        const work = Effect.as(Effect.yieldNow().pipe(Effect.repeatN(50)), "done")
        expect(yield* input.during(work)).toEqual(Option.some("done"))
        expect(yield* input.next).toEqual({ _tag: "Line", text: "last" })
        expect(yield* input.next).toEqual(CTRL_D)
      })
    )
  )

  it.effect("what may run beside the work does not wait", () => {
    const beside: Array<string> = []
    return withInput(
      (input, room) =>
        Effect.gen(function* () {
          yield* room.enter("/stats", "later")
          yield* input.during(Effect.yieldNow().pipe(Effect.repeatN(50)))
          expect(beside).toEqual(["/stats"])
          expect(yield* input.next).toEqual({ _tag: "Line", text: "later" })
        }),
      (line) => Effect.sync(() => line === "/stats" && beside.push(line) > 0)
    )
  })

  it.effect("a draft takes the place of the open line", () =>
    withInput((input, room) =>
      Effect.gen(function* () {
        yield* input.during(Effect.yieldNow().pipe(Effect.repeatN(20)))
        yield* input.draft("edited")
        yield* Effect.yieldNow()
        expect(room.readings.map(({ initial }) => initial)).toEqual([undefined, "edited"])
      })
    )
  )
})

describe("a prompt that cannot be sent yet", () => {
  it.effect("waits while commands are carried out, and goes together with the others", () =>
    Effect.flatMap(closedGate, ({ gate, open }) =>
      withInput(
        (input, room) =>
          Effect.gen(function* () {
            yield* room.enter("one", "/help", "two")
            expect(yield* input.next).toEqual({ _tag: "Line", text: "/help" })
            const next = yield* Effect.fork(input.next)
            yield* Effect.yieldNow().pipe(Effect.repeatN(50))
            expect(yield* input.waiting).toEqual(["given at start", "one", "two"])
            yield* open
            expect(yield* Fiber.join(next)).toEqual({ _tag: "Line", text: "given at start\n\none\n\ntwo" })
            expect(yield* input.waiting).toEqual([])
          }),
        undefined,
        ["given at start"],
        gate
      )
    )
  )

  it.effect("is given back by Ctrl-C, for the person to go on with", () =>
    Effect.flatMap(closedGate, ({ gate }) =>
      withInput(
        (input, room) =>
          Effect.gen(function* () {
            yield* room.enter("one", CTRL_C, CTRL_C)
            expect(yield* input.next).toEqual(CTRL_C)
            expect(room.readings.at(-1)?.initial).toBe("one")
            expect(yield* input.waiting).toEqual([])
          }),
        undefined,
        [],
        gate
      )
    )
  )

  it.effect("is sent before the end of the input counts", () =>
    Effect.flatMap(closedGate, ({ gate, open }) =>
      withInput(
        (input, room) =>
          Effect.gen(function* () {
            yield* room.enter("one", CTRL_D)
            const next = yield* Effect.fork(input.next)
            yield* Effect.yieldNow().pipe(Effect.repeatN(50))
            yield* open
            expect(yield* Fiber.join(next)).toEqual({ _tag: "Line", text: "one" })
            expect(yield* input.next).toEqual(CTRL_D)
          }),
        undefined,
        [],
        gate
      )
    )
  )
})
