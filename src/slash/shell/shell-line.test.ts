import { describe, expect, test } from "bun:test"
import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Context, Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { testEnvironment } from "../../../test/kit/environment.ts"
import { it } from "../../../test/kit/it.ts"
import { backgroundLayer } from "../../../test/kit/shell-room.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { Chat } from "../../chat/chat.ts"
import * as Flow from "../../kernel/flow.ts"
import type { Content } from "../../protocol/content.ts"
import * as PersonTerminal from "../../shell/person-terminal.ts"
import type { BuiltinServices } from "../../tools/builtin-tools.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { ShellLine } from "../shell-line.ts"
import { completeShell, layer } from "./shell-line-layer.ts"

/** A shell line in a folder, and what the conversation was told. */
const shellRoom = Effect.fnUntraced(function* (files: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(yield* tempFolder({ "keep.txt": "", ...files }))
  const history = yield* Ref.make<ReadonlyArray<Content>>([])
  const chat = Layer.succeed(Chat, {
    send: () => Flow.empty,
    history: Ref.get(history),
    replaceHistory: (contents) => Ref.set(history, contents),
    compress: () => Effect.dieMessage("not in this test"),
    ignoreLoops: Effect.void
  })
  const services = yield* Layer.build(
    Layer.merge(
      PersonTerminal.layerNone,
      backgroundLayer({ logFolder: join(tmpdir(), "shell-line-test"), keep: false, completion: "silent" })
    )
  )
  // The rest of the services of the tools is never asked for here.
  const lazy = Layer.succeed(LazyServices, {
    services: Effect.succeed(services as Context.Context<BuiltinServices>)
  })
  const line = yield* Layer.build(
    layer.pipe(
      Layer.provide(Layer.mergeAll(chat, lazy, testEnvironment({ cwd: root, variables: { PATH: "/usr/bin:/bin" } })))
    )
  )
  const shell = yield* Effect.provide(ShellLine, line)
  const printed = yield* Ref.make("")
  return {
    root,
    shell,
    printed: Ref.get(printed),
    run: (command: string) => shell.run(command, (text) => Ref.update(printed, (before) => before + text)),
    told: Effect.map(Ref.get(history), (contents) => contents.map(({ parts }) => parts[0]?.text ?? ""))
  }
})

it.live("output streams, the exit code is known, and the conversation is told", () =>
  Effect.gen(function* () {
    const room = yield* shellRoom()
    const { exitCode, notes } = yield* room.run("echo out; echo err >&2; exit 3")
    expect({ exitCode, notes, printed: yield* room.printed }).toEqual({ exitCode: 3, notes: [], printed: "out\nerr\n" })
    const [turn] = yield* room.told
    expect(turn).toContain("```sh\necho out; echo err >&2; exit 3\n```")
    expect(turn).toContain("The command ended with exit code 3.\nout\nerr")
  })
)

it.live("cd moves the lines that follow; status, comments and trailing backslashes survive the frame", () =>
  Effect.gen(function* () {
    const room = yield* shellRoom({ "sub/dir/x": "" })
    const moved = yield* room.run("cd sub/dir")
    expect(moved.notes).toEqual([`The next ! commands run in ${room.root}/sub/dir.`])
    expect(yield* room.shell.cwd).toBe(join(room.root, "sub/dir"))
    expect((yield* room.run("pwd; false # comment")).exitCode).toBe(1)
    expect((yield* room.run("echo a \\")).exitCode).toBe(0)
    expect(yield* room.printed).toBe(`${room.root}/sub/dir\na\n`)
  })
)

it.live("interrupting ends the processes, and the conversation hears of it", () =>
  Effect.gen(function* () {
    const room = yield* shellRoom()
    const started = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(room.shell.run("echo begun; sleep 60", () => Deferred.succeed(started, undefined)))
    yield* Deferred.await(started)
    yield* Fiber.interrupt(fiber)
    expect((yield* room.told)[0]).toContain("The command was cancelled.\nbegun")
  })
)

describe("completion", () => {
  const place = { folder: join(import.meta.dir, ".."), environment: { get: () => "/usr/bin:/bin", home: "/" } }
  const values = (command: string) => completeShell(command, command.length, place).candidates.map(({ value }) => value)

  test("programs, sub-commands, files", () => {
    expect(values("bas")).toContain("bash")
    expect(values("echo x | bas")).toContain("bash")
    expect(values("git chec")).toEqual(["checkout"])
    expect(values("ls builtin/builtin-c")).toEqual(["builtin/builtin-commands.ts"])
    expect(values("ls she")).toEqual(["shell/", "shell-line.ts"])
    expect(completeShell("ls she", 6, place).from).toBe(3)
  })
})
