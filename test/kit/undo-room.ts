/**
 * A workspace with a journal of changes around it: calls are plain functions that do something to files, recorded as
 * the scheduler would have them recorded. A fingerprint of the whole tree tells whether everything is as it was.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { CallId } from "../../src/protocol/ids.ts"
import * as ChangeJournal from "../../src/session/undo/change-journal.ts"
import { makeRecorder, type RecorderOptions } from "../../src/session/undo/recorder.ts"
import { TREE_LIMITS } from "../../src/session/undo/refresh-tree.ts"
import * as Undo from "../../src/session/undo/undo.ts"
import { tempFolder } from "./temp-folder.ts"

export interface UndoRoomOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Run in the workspace before anything is recorded. */
  readonly prepare?: string
  readonly recorder?: Partial<RecorderOptions>
}

const SESSION = "0b6c9a52-7e5e-4b57-9a31-6a2d2c0f9e11"

export const undoRoom = Effect.fnUntraced(function* (options: UndoRoomOptions = {}) {
  const base = yield* tempFolder(
    Object.fromEntries(Object.entries(options.files ?? {}).map(([name, text]) => [`ws/${name}`, text]))
  )
  for (const name of ["ws", "home"]) mkdirSync(join(base, name), { recursive: true })
  const root = join(base, "ws")
  const bash = (script: string) => runBash(script, root)
  if (options.prepare !== undefined) bash(options.prepare)
  const common = {
    historyDir: Effect.succeed(join(base, "home/history")),
    roots: Effect.succeed([root]),
    ownData: join(base, "home"),
    limits: TREE_LIMITS,
    session: Effect.succeed(SESSION),
    clean: (text: string) => text,
    retention: { maxAgeMs: 1000 * 60 * 60, maxBytes: 1024 ** 3 },
    ...options.recorder
  }
  const told: Array<string> = []
  const tell = (line: string) => Effect.sync(() => void told.push(line))
  const undo = Context.get(yield* Layer.build(Undo.layer(common)), Undo.Undo)

  /** A process of its own: its journal ends with it. */
  const run = <A, E>(
    title: string,
    calls: (journal: {
      readonly shell: (script: string) => Effect.Effect<void>
      /** A command that goes on after its call: what it does is done to the files by the test. */
      readonly background: (what: string) => Effect.Effect<void>
      readonly edit: (name: string, action: (path: string) => void) => Effect.Effect<void>
      readonly nextRun: (title: string) => Effect.Effect<void>
    }) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function* () {
      const journal = yield* ChangeJournal.ChangeJournal
      const nextRun = (name: string) => journal.beginRun({ title: name, history: Effect.succeed([]) })
      yield* nextRun(title)
      const record = (
        call: Pick<ChangeJournal.ChangingCall, "tool" | "what" | "paths" | "goesOn">,
        action: () => void = () => {}
      ) => journal.record({ tell, call: { callId: CallId.make("c"), args: {}, ...call } }, Effect.sync(action))
      return yield* calls({
        shell: (script) => record({ tool: "run_shell_command", what: script }, () => bash(script)),
        background: (what) => record({ tool: "run_shell_command", what, goesOn: true }),
        edit: (name, action) =>
          record({ tool: "write_file", what: name, paths: [join(root, name)] }, () => action(join(root, name))),
        nextRun
      })
    }).pipe(Effect.provide(ChangeJournal.layer(makeRecorder(common))))

  return { base, root, session: SESSION, told, bash, run, undo, fingerprint: () => fingerprintOf(root) }
})

const runBash = (script: string, cwd: string): void => {
  const done = Bun.spawnSync(["bash", "-c", script], {
    cwd,
    stderr: "pipe",
    env: { PATH: process.env.PATH, HOME: cwd }
  })
  if (done.exitCode !== 0) throw new Error(`${script}: ${done.stderr.toString()}`)
}

/** Every path with its kind, permissions and content. Version control data is left out. */
export const fingerprintOf = (root: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const visit = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).sort()) {
      if (name === ".git" || name === "node_modules") continue
      const path = join(folder, name)
      const stat = lstatSync(path)
      const mode = (stat.mode & 0o7777).toString(8)
      if (stat.isDirectory()) {
        lines.push(`${prefix}${name}/ ${mode}`)
        visit(path, `${prefix}${name}/`)
      } else if (stat.isSymbolicLink()) lines.push(`${prefix}${name} -> ${readlinkSync(path)}`)
      else
        lines.push(`${prefix}${name} ${mode} ${stat.isFile() ? Bun.hash(readFileSync(path)).toString(36) : "special"}`)
    }
  }
  visit(root, "")
  return lines
}
