import { describe, expect } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Fiber, Layer } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { fingerprintOf } from "../../../test/kit/undo-room.ts"
import { CallId } from "../../protocol/ids.ts"
import * as ChangeJournal from "../undo/change-journal.ts"
import * as Checkpoints from "./checkpoints.ts"
import { isPruningDue, pruneShadow } from "./prune-shadow.ts"
import { makeSaver, withCheckpoints } from "./save-checkpoint.ts"

const HISTORY = [{ role: "user" as const, parts: [{ text: "please, key-0123456789" }] }]

const LIMITS = { maxAgeMs: 3_600_000, maxBytes: 1024 ** 3 }

const checkpointRoom = Effect.fnUntraced(function* (
  prepare = "true",
  { limits = LIMITS, path = process.env.PATH }: { readonly path?: string; readonly limits?: typeof LIMITS } = {}
) {
  const base = yield* tempFolder({ "ws/a.txt": "a\r\n", "ws/src/b.ts": "b\n", "ws/.gitignore": "*.log\n" })
  const root = join(base, "ws")
  const bash = (script: string) => {
    const { exitCode, stderr, stdout } = Bun.spawnSync(["bash", "-c", script], {
      cwd: root,
      stderr: "pipe",
      env: {
        PATH: process.env.PATH,
        HOME: base,
        GIT_AUTHOR_NAME: "t",
        GIT_AUTHOR_EMAIL: "t@example.com",
        GIT_COMMITTER_NAME: "t",
        GIT_COMMITTER_EMAIL: "t@example.com"
      }
    })
    if (exitCode !== 0) throw new Error(`${script}: ${stderr.toString()}`)
    return stdout.toString()
  }
  bash(prepare)
  const places = {
    historyDir: Effect.succeed(join(base, "history")),
    tempDir: Effect.succeed(join(base, "tmp")),
    workTree: root,
    path
  }
  const save = yield* makeSaver({
    ...places,
    limits,
    clean: (text) => text.replaceAll("key-0123456789", "[REDACTED]")
  })
  const built = yield* Layer.build(Layer.provide(Checkpoints.layer(places), ChangeJournal.layerNone))
  const call = {
    callId: CallId.make("c1"),
    tool: "replace",
    args: { file_path: "a.txt" },
    what: "a.txt",
    paths: [join(root, "a.txt")]
  }
  return {
    base,
    root,
    bash,
    call,
    places,
    save: save(call, HISTORY),
    saver: save,
    checkpoints: Context.get(built, Checkpoints.Checkpoints),
    fingerprint: () => fingerprintOf(root)
  }
})

const restored = { removeMade: true, tell: () => Effect.void }

describe("checkpoints", () => {
  for (const [place, prepare] of [
    ["outside git", "true"],
    ["in git", "git init -q . && git add -A && git commit -qm one"],
    ["with attributes that convert", "printf '* text eol=lf\\n*.txt filter=lfs\\n' > .gitattributes; git init -q ."],
    [
      "with a pointer of large file storage",
      "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:00\\nsize 1\\n' > big.bin"
    ],
    [
      "with a submodule",
      "git init -q sub && cd sub && echo s > s.txt && git add -A && git commit -qm s && cd .. && git init -q ."
    ],
    ["with a repository that has no commit", "git init -q sub && echo s > sub/s.txt"]
  ] as const) {
    it.live(`go back to all files ${place}`, () =>
      Effect.gen(function* () {
        const room = yield* checkpointRoom(prepare)
        const before = room.fingerprint()
        const name = yield* room.save
        room.bash("echo 2 > a.txt; rm src/b.ts; echo new > new.txt; echo log > x.log; chmod +x .gitignore")
        const plan = yield* room.checkpoints.plan(name)
        expect([...plan.files.restored].sort()).toEqual([".gitignore", "a.txt", "src/b.ts"])
        expect(plan.files.made).toEqual(["new.txt"])
        yield* room.checkpoints.restore(plan, { ...restored, removeMade: false })
        expect(existsSync(join(room.root, "new.txt"))).toBe(true)
        yield* room.checkpoints.restore(yield* room.checkpoints.plan(name), restored)
        expect(existsSync(join(room.root, "x.log"))).toBe(true)
        rmSync(join(room.root, "x.log"))
        expect(room.fingerprint()).toEqual(before)
      })
    )
  }

  it.live("keep the conversation without secrets, and the call", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const name = yield* room.save
      expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_\d{3}Z-a\.txt-replace$/)
      expect(yield* room.checkpoints.list).toEqual([name])
      const { record } = yield* room.checkpoints.plan(name)
      expect(record).toMatchObject({
        clientHistory: [{ role: "user", parts: [{ text: "please, [REDACTED]" }] }],
        history: [{ id: 0, type: "user", text: "please, [REDACTED]" }],
        toolCall: { name: "replace", args: { file_path: "a.txt" } },
        messageId: "c1"
      })
      expect(record.commitHash).toMatch(/^[0-9a-f]{40}$/)
    })
  )

  it.live("of an unchanged project share a commit", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const names = [yield* room.save, yield* room.save]
      expect(new Set(names).size).toBe(2)
      const plans = yield* Effect.forEach(names, room.checkpoints.plan)
      expect(new Set(plans.map(({ record }) => record.commitHash)).size).toBe(1)
    })
  )

  it.live("do not touch the user's repository, and heed none of its hooks and settings", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom(
        "git init -q . && git add -A && git commit -qm one && printf '#!/bin/sh\\ntouch ../hooked\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git config core.fsmonitor 'touch ../hooked' && echo 2 >> a.txt && git add a.txt && rm -f ../hooked"
      )
      const state = () => room.bash("find .git -type f | sort | xargs sha1sum")
      const before = state()
      const name = yield* room.save
      room.bash("echo 3 >> a.txt")
      yield* room.checkpoints.restore(yield* room.checkpoints.plan(name), restored)
      expect(state()).toBe(before)
      expect(existsSync(join(room.base, "hooked"))).toBe(false)
    })
  )
})

describe("trouble", () => {
  it.live("without git the call goes on, and one line says so", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom("true", { path: "/nowhere" })
      const record = yield* withCheckpoints(room.saver, (_recording, _run, effect) => effect)
      const told: Array<string> = []
      const recording = { call: room.call, tell: (line: string) => Effect.sync(() => void told.push(line)) }
      const run = { title: "", history: Effect.succeed(HISTORY) }
      expect(yield* record(recording, run, Effect.succeed(1))).toBe(1)
      expect(yield* record(recording, run, Effect.succeed(2))).toBe(2)
      expect(told).toEqual(["no checkpoint was made: git is not installed"])
    })
  )

  it.live("a shell command, which may change anything, is preceded by one too", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const record = yield* withCheckpoints(room.saver, (_recording, _run, effect) => effect)
      const call = {
        callId: room.call.callId,
        tool: "run_shell_command",
        args: { command: "rm a.txt" },
        what: "rm a.txt"
      }
      const run = { title: "", history: Effect.succeed(HISTORY) }
      yield* record(
        { call, tell: () => Effect.void },
        run,
        Effect.sync(() => room.bash("rm a.txt"))
      )
      const [name = ""] = yield* room.checkpoints.list
      expect(name).toEndWith("-files-run_shell_command")
      yield* room.checkpoints.restore(yield* room.checkpoints.plan(name), restored)
      expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("a\r\n")
    })
  )

  for (const [name, damage] of [
    ["a broken index", (git: string) => writeFileSync(join(git, "index"), "not an index")],
    ["lost objects", (git: string) => rmSync(join(git, "objects"), { recursive: true })],
    ["a broken HEAD", (git: string) => writeFileSync(join(git, "HEAD"), "\0\0")]
  ] as const) {
    it.live(`a repository with ${name} is put aside, and a new one begun`, () =>
      Effect.gen(function* () {
        const room = yield* checkpointRoom()
        const lost = yield* room.save
        damage(join(room.base, "history/.git"))
        room.bash("echo 2 > a.txt")
        const name = yield* room.save
        room.bash("echo 3 > a.txt")
        yield* room.checkpoints.restore(yield* room.checkpoints.plan(name), restored)
        expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("2\n")
        const files = readdirSync(join(room.base, "history")).filter((file) => file.startsWith(".git.damaged-"))
        expect(files).toHaveLength(1)
        expect(yield* Effect.flip(room.checkpoints.plan(lost))).toMatchObject({ kind: "no-commit" })
        expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("2\n")
      })
    )
  }

  it.live("a lock that was left behind is removed, a fresh one respected", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      yield* room.save
      const lock = join(room.base, "history/.git/index.lock")
      writeFileSync(lock, "")
      utimesSync(lock, 1, 1)
      yield* room.save
      room.bash("echo 2 > a.txt")
      writeFileSync(lock, "")
      const waiting = yield* Effect.fork(room.save)
      yield* Effect.sleep("300 millis")
      rmSync(lock)
      expect(yield* Fiber.join(waiting)).toEndWith("-a.txt-replace")
    })
  )

  it.live("names that lead elsewhere and unreadable records are none", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const folder = join(room.base, "tmp/checkpoints")
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(room.base, "tmp/evil.json"), '{"toolCall":{"name":"x","args":{}}}')
      writeFileSync(join(folder, "broken.json"), "{ half")
      for (const name of ["../evil", "broken", "missing", "__proto__"]) {
        expect(yield* Effect.flip(room.checkpoints.plan(name))).toMatchObject({ _tag: "UnknownCheckpoint", name })
      }
    })
  )
})

describe("old snapshots", () => {
  /** As time would do it: what was kept so far is old, and pruning is due. */
  const age = (room: Effect.Effect.Success<ReturnType<typeof checkpointRoom>>, name?: string) => {
    room.bash(
      'find ../history/.git/objects -type f -exec touch -d "2 days ago" {} + ; touch -d "2 days ago" ../history/.pruned'
    )
    if (name !== undefined) utimesSync(join(room.base, `tmp/checkpoints/${name}.json`), 1, 1)
  }
  const pruned = (room: { readonly base: string }, limits = LIMITS) =>
    pruneShadow(
      { historyDir: join(room.base, "history"), workTree: join(room.base, "ws"), path: process.env.PATH },
      join(room.base, "tmp/checkpoints"),
      limits
    )
  const kept = (room: { readonly bash: (script: string) => string }) =>
    Number(room.bash("git --git-dir=../history/.git rev-list --count main"))

  it.live("go with the checkpoints that needed them; the others are restored as before", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const expired = yield* room.save
      room.bash("echo 2 > a.txt")
      const needed = yield* room.save
      room.bash("echo 3 > a.txt")
      const newest = yield* room.save
      age(room, expired)
      yield* pruned(room)
      expect(yield* room.checkpoints.list).toEqual([needed, newest])
      expect(kept(room)).toBe(2)
      yield* room.checkpoints.restore(yield* room.checkpoints.plan(needed), restored)
      expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("2\n")
      room.bash("echo 4 > a.txt")
      expect(yield* room.checkpoints.plan(yield* room.save)).toMatchObject({ files: { restored: [] } })
    })
  )

  it.live("the older half goes where the repository is too large, and the newest stays", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const names: Array<string> = []
      for (let count = 0; count < 4; count++) {
        room.bash(`head -c 300000 /dev/urandom > big.bin; echo ${count} > a.txt`)
        names.push(yield* room.save)
      }
      age(room)
      yield* pruned(room, { ...LIMITS, maxBytes: 700_000 })
      expect(yield* room.checkpoints.list).toEqual(names.slice(2))
      expect(kept(room)).toBe(2)
      age(room)
      yield* pruned(room, { ...LIMITS, maxBytes: 700_000 })
      expect(yield* room.checkpoints.list).toEqual(names.slice(2))
      expect(Number(room.bash("du -sb ../history/.git/objects | cut -f1"))).toBeLessThan(700_000)
      const last = names.at(-1) ?? ""
      expect(yield* room.checkpoints.plan(last)).toMatchObject({ files: { restored: [], made: [] } })
    })
  )

  it.live("are looked for after a save, at most once a day", () =>
    Effect.gen(function* () {
      const room = yield* checkpointRoom()
      const first = yield* room.save
      age(room, first)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const again = yield* makeSaver({ ...room.places, limits: LIMITS, clean: (text) => text })
          yield* again(room.call, HISTORY)
        })
      )
      expect(yield* room.checkpoints.list).not.toContain(first)
      expect(isPruningDue(join(room.base, "history"), Date.now())).toBe(false)
      expect(isPruningDue(join(room.base, "history"), Date.now() + 25 * 3_600_000)).toBe(true)
      expect(isPruningDue(join(room.base, "history"), 1)).toBe(true)
    })
  )
})
