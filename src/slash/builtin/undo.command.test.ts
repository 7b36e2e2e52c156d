import { expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { Context, Effect, Layer } from "effect"
import { testEnvironment } from "../../../test/kit/environment.ts"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { undoRoom } from "../../../test/kit/undo-room.ts"
import { Chat } from "../../chat/chat.ts"
import { loadConfig } from "../../config/load.ts"
import { Settings } from "../../config/settings.ts"
import { ReadLedger } from "../../files/read-ledger.ts"
import * as Flow from "../../kernel/flow.ts"
import { Policy } from "../../policy/policy.ts"
import type { Content } from "../../protocol/content.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import * as RunReaders from "../../protocol/run-readers.ts"
import { Checkpoints } from "../../session/checkpoint/checkpoints.ts"
import { none, SessionRecorder } from "../../session/record/session-recorder.ts"
import { Undo } from "../../session/undo/undo.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import type { CommandResult } from "../command.ts"
import { restore } from "./restore.command.ts"
import { undo } from "./undo.command.ts"

const invocation = (args: string) => ({ args, line: `/x ${args}`, isInteractive: true })

const textOf = (result: CommandResult): string =>
  result._tag === "Print" ? result.text : result._tag === "Ask" ? result.question.text : result._tag

const questionOf = (result: CommandResult) => {
  if (result._tag !== "Ask") throw new Error(`nothing is asked, but ${result._tag}`)
  return result.question
}

/** A run that changed a file, and `/undo` in it. */
const undoCommand = Effect.gen(function* () {
  const room = yield* undoRoom({ files: { "a.txt": "one" } })
  yield* room.run("edit it", ({ edit }) => edit("a.txt", (path) => writeFileSync(path, "two")))
  const servicesOf = (sessionId: string) =>
    Layer.mergeAll(
      Layer.succeed(Undo, room.undo),
      Layer.succeed(SessionRecorder, { ...none, session: Effect.succeed({ sessionId, kind: "main" as const }) }),
      testEnvironment({ cwd: room.root })
    )
  return {
    content: () => readFileSync(join(room.root, "a.txt"), "utf8"),
    run: (args: string, session = room.session) =>
      (undo.run ?? (() => Effect.dieMessage("no run")))(invocation(args)).pipe(Effect.provide(servicesOf(session)))
  }
})

it.live("/undo shows the plan and restores after a yes", () =>
  Effect.gen(function* () {
    const { content, run } = yield* undoCommand
    // What another conversation changed is not offered unasked, and can be named.
    const elsewhere = yield* Effect.flip(run("", "another"))
    expect(elsewhere).toMatchObject({ kind: "failed", detail: expect.stringContaining("`/undo list` shows") })
    expect(textOf(yield* run("list", "another"))).toContain("edit it")
    const asked = yield* run("")
    expect(textOf(asked)).toContain("restore   a.txt")
    const { answer } = questionOf(asked)
    expect(textOf(yield* answer("no"))).toBe("Nothing was changed.")
    expect(content()).toBe("two")
    expect(textOf(yield* answer("yes"))).toStartWith("1 path restored. To take this back: /undo ")
    expect(content()).toBe("one")
    expect(textOf(yield* run("list")).split("\n")).toHaveLength(2)
    expect(yield* Effect.flip(run(""))).toMatchObject({ kind: "failed" })
    expect(yield* Effect.flip(run("one two"))).toMatchObject({ kind: "usage" })
  })
)

interface RestoreCase {
  readonly made?: ReadonlyArray<string>
  readonly clientHistory?: ReadonlyArray<Content>
  readonly mode?: ApprovalMode
}

/** `/restore` over checkpoints that only note what is asked of them. */
const restoreCommand = Effect.fnUntraced(function* (
  isOn: boolean,
  { clientHistory = [], made = [], mode = "default" }: RestoreCase = {}
) {
  const home = yield* tempFolder({
    ".gemini/settings.json": JSON.stringify({ general: { checkpointing: { enabled: isOn } } })
  })
  const { settings } = yield* loadConfig({
    env: { HOME: home },
    cwd: home,
    platform: process.platform,
    flags: { skipTrust: true, ignoreEnv: true }
  })
  const done: Array<unknown> = []
  const forgotten: Array<string> = []
  const files = { commit: "c", restored: ["a.txt"], made }
  const toolCall = { name: "replace", args: { file_path: "a.txt" } }
  const record = { history: [], clientHistory, toolCall, messageId: "replace__2" }
  const ledger = ReadLedger.of({
    remember: () => Effect.void,
    check: () => Effect.succeed("unread"),
    forget: (path) => Effect.sync(() => void forgotten.push(relative(home, path)))
  })
  const services = Layer.mergeAll(
    Layer.mock(Checkpoints, {
      list: Effect.succeed(["one", "two"]),
      plan: (name) => Effect.succeed({ name, record, files }),
      restore: ({ name }, { removeMade }) => Effect.sync(() => void done.push([name, { removeMade }]))
    }),
    Layer.mock(Chat, {
      send: () => Flow.empty,
      history: Effect.succeed([]),
      replaceHistory: (contents) => Effect.sync(() => void done.push(contents))
    }),
    Layer.mock(Policy, { mode: Effect.succeed(mode), problems: [] }),
    RunReaders.layer(),
    testEnvironment({ cwd: home }),
    Layer.succeed(LazyServices, {
      // What restoring asks of the tools' services is what they know of files that were read.
      services: Effect.succeed(Context.unsafeMake(new Map([[ReadLedger.key, ledger]])))
    }),
    Layer.succeed(Settings, settings)
  )
  const run = (args: string) =>
    (restore.run ?? (() => Effect.dieMessage("no run")))(invocation(args)).pipe(Effect.provide(services))
  return { done, forgotten, run }
})

it.live("/restore lists, and removes what was made since only when that is chosen", () =>
  Effect.gen(function* () {
    const { done, forgotten, run } = yield* restoreCommand(true, { made: ["new.txt"] })
    expect(textOf(yield* run(""))).toBe("one\ntwo")
    const asked = yield* run("two")
    expect(textOf(asked)).toBe("Checkpoint two, before replace.\nComes back:\n  a.txt\nMade since:\n  new.txt")
    const { answer, choices } = questionOf(asked)
    expect(choices.map(({ value }) => value)).toEqual(["restore", "remove", "no"])
    yield* answer("no")
    expect(done).toEqual([])
    yield* answer("restore")
    expect(forgotten).toEqual(["a.txt", "new.txt"])
    yield* answer("remove")
    expect(done).toEqual([["two", { removeMade: false }], [], ["two", { removeMade: true }], []])
  })
)

it.live("/restore says that checkpoints are switched off", () =>
  Effect.gen(function* () {
    const { run } = yield* restoreCommand(false)
    expect(yield* Effect.flip(run("two"))).toMatchObject({
      message: expect.stringContaining("general.checkpointing.enabled")
    })
  })
)

const call = (id: string, file_path: string) => ({ functionCall: { id, name: "replace", args: { file_path } } })

/** Ends with two calls, of which the second was about to run. */
const ENDING: ReadonlyArray<Content> = [
  { role: "user", parts: [{ text: "go" }] },
  { role: "model", parts: [call("replace__1", "b.txt"), call("replace__2", "a.txt")] }
]

it.live("/restore offers the call again that was about to run", () =>
  Effect.gen(function* () {
    const { run } = yield* restoreCommand(true, { clientHistory: ENDING })
    const offered = yield* questionOf(yield* run("two")).answer("restore")
    expect(offered).toMatchObject({ _tag: "Submit", prompt: { parts: [], repeats: "replace__2" } })
  })
)

it.live("/restore asks before it runs where calls run by themselves", () =>
  Effect.gen(function* () {
    const { run } = yield* restoreCommand(true, { clientHistory: ENDING, mode: "yolo" })
    const asked = yield* questionOf(yield* run("two")).answer("restore")
    const { answer } = questionOf(asked)
    expect(yield* answer("run")).toMatchObject({ _tag: "Submit", prompt: { repeats: "replace__2" } })
    expect(textOf(yield* answer("no"))).toBe("The conversation waits for you.")
  })
)
