import { describe, expect } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { undoRoom } from "../../../test/kit/undo-room.ts"

const write = (text: string) => (path: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const FILES = {
  "a.txt": "a\n",
  "src/b.ts": "b\r\n",
  "src/deep/c.bin": new Uint8Array([0, 255, 13, 10, 0]),
  "run.sh": "#!/bin/sh\n",
  "empty.txt": ""
}

const PREPARE = "chmod 755 run.sh; ln -s a.txt link; ln -s nowhere dangling; mkdir -p hollow/inner; chmod 600 a.txt"

/** Each changes the workspace in one way. */
const SCRIPTS: ReadonlyArray<readonly [name: string, script: string]> = [
  ["creates a file", "echo new > new.txt"],
  ["creates files in new folders", "mkdir -p x/y/z && echo 1 > x/y/z/1 && touch x/2"],
  ["creates an empty folder", "mkdir -p void/inner"],
  ["edits in place", "echo more >> a.txt"],
  ["edits by replacing", "sed -i s/b/B/ src/b.ts"],
  ["edits keeping size and times", "touch -r a.txt t; printf 'z\\n' > a.txt; touch -r t a.txt; rm t"],
  ["deletes", "rm a.txt"],
  ["deletes an empty file", "rm empty.txt"],
  ["deletes a folder", "rm -r src"],
  ["deletes empty folders", "rmdir hollow/inner hollow"],
  ["moves", "mv a.txt moved.txt"],
  ["moves over another file", "mv a.txt src/b.ts"],
  ["moves a folder", "mv src lib"],
  ["makes a file executable", "chmod +x a.txt"],
  ["takes permissions away", "chmod 400 src/b.ts run.sh"],
  ["changes permissions of a folder", "chmod 700 src"],
  ["makes a link", "ln -s src/b.ts link2"],
  ["turns a link elsewhere", "ln -sfn src link"],
  ["deletes links", "rm link dangling"],
  ["replaces a link by a file", "rm link; echo file > link"],
  ["replaces a file by a link", "rm a.txt; ln -s run.sh a.txt"],
  ["replaces a file by a folder", "rm a.txt; mkdir a.txt; echo 1 > a.txt/1"],
  ["replaces a folder by a file", "rm -r src; echo src > src"],
  ["writes through a link", "echo through > link"],
  ["makes a pipe", "mkfifo pipe"],
  [
    "uses strange names",
    "printf x > $'new\\nline'; printf y > 'sp ace'; printf z > '\u00fc\u{1F600}'; printf d > -- -rf || true"
  ],
  ["empties the workspace", "find . -mindepth 1 -not -path './.git*' -delete"],
  ["writes an ignore file that would hide its work", "echo out/ > .gitignore; mkdir out; echo 1 > out/1"]
]

for (const place of ["outside git", "in git"] as const) {
  describe(`shell commands ${place}`, () => {
    for (const [name, script] of SCRIPTS) {
      it.live(`undoing restores a tree after one that ${name}`, () =>
        Effect.gen(function* () {
          const git = place === "in git" ? "git init -q . && " : ""
          const room = yield* undoRoom({ files: FILES, prepare: `${git}${PREPARE}` })
          const before = room.fingerprint()
          yield* room.run("change", ({ shell }) => shell(script))
          const after = room.fingerprint()
          expect(after).not.toEqual(before)
          const plan = yield* room.undo.plan({ force: false })
          expect(plan.leftAlone).toEqual([])
          const result = yield* room.undo.apply(plan)
          expect(result.failed).toEqual([])
          expect(room.fingerprint()).toEqual(before)
          expect(room.told).toEqual([])
          // And back again.
          yield* room.undo.apply(yield* room.undo.plan({ force: false, run: result.id }))
          expect(room.fingerprint()).toEqual(after.filter((line) => !line.startsWith("pipe ")))
        })
      )
    }
  })
}

describe("editing tools", () => {
  it.live("created, changed and deleted files come back, folders that were made go", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES, prepare: PREPARE })
      const before = room.fingerprint()
      yield* room.run("edit", ({ edit }) =>
        Effect.all([
          edit("a.txt", write("one\n")),
          edit("a.txt", write("two\n")),
          edit("n/e/w.txt", write("new\n")),
          edit("src/b.ts", (path) => rmSync(path)),
          edit("run.sh", (path) => chmodSync(path, 0o600))
        ])
      )
      const plan = yield* room.undo.plan({ force: false })
      expect(plan.steps.map(({ action, path }) => `${action} ${path.slice(room.root.length + 1)}`).sort()).toEqual([
        "mode run.sh",
        "recreate src/b.ts",
        "remove n",
        "remove n/e",
        "remove n/e/w.txt",
        "restore a.txt"
      ])
      yield* room.undo.apply(plan)
      expect(room.fingerprint()).toEqual(before)
      expect(existsSync(join(room.base, "home/history/undo/cache"))).toBe(false)
    })
  )

  it.live("files outside the workspace are not recorded", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      yield* room.run("edit", ({ edit }) => edit("../plan.md", write("x")))
      expect(yield* Effect.flip(room.undo.plan({ force: false }))).toMatchObject({ kind: "nothing" })
    })
  )
})

describe("what goes on in the background", () => {
  it.live("is the run's until it ends, whatever else it does or does not do by then", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES, prepare: PREPARE })
      const before = room.fingerprint()
      yield* room.run("serve", ({ background, edit }) =>
        Effect.gen(function* () {
          yield* background("make watch")
          yield* edit("empty.txt", write("run"))
          yield* Effect.sync(() => room.bash("echo late >> a.txt; rm src/b.ts; mkdir out; echo late > out/late.txt"))
        })
      )
      const plan = yield* room.undo.plan({ force: false })
      expect(plan.leftAlone).toEqual([])
      yield* room.undo.apply(plan)
      expect(room.fingerprint()).toEqual(before)
    })
  )
})

describe("what belongs to the user", () => {
  it.live("changes between calls are not the run's", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      yield* room.run("mixed", ({ edit, shell }) =>
        Effect.gen(function* () {
          yield* shell("echo run > run.txt")
          yield* Effect.sync(() => room.bash("echo mine > mine.txt; echo mine >> a.txt"))
          yield* shell("echo run >> src/b.ts")
          yield* edit("empty.txt", write("run"))
        })
      )
      yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(room.fingerprint().map((line) => line.split(" ")[0])).toContain("mine.txt")
      expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("a\nmine\n")
      expect(readFileSync(join(room.root, "src/b.ts"), "utf8")).toBe("b\r\n")
    })
  )

  it.live("what was changed since is left alone, unless it is asked for", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      const before = room.fingerprint()
      yield* room.run("change", ({ shell }) => shell("echo run > a.txt; rm run.sh; echo run > new.txt; mkdir made"))
      room.bash("echo mine > a.txt; echo mine > made/mine.txt")
      const plan = yield* room.undo.plan({ force: false })
      expect(plan.leftAlone.map(({ kind, path }) => [path.slice(room.root.length + 1), kind])).toEqual([
        ["a.txt", "changed"]
      ])
      const result = yield* room.undo.apply(plan)
      expect(result.failed.map(({ path }) => path)).toEqual([join(room.root, "made")])
      expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("mine\n")
      expect(existsSync(join(room.root, "run.sh"))).toBe(true)
      // Still not taken back as a whole: the next attempt is about the same run.
      room.bash("rm -r made")
      yield* room.undo.apply(yield* room.undo.plan({ force: true }))
      expect(room.fingerprint()).toEqual(before)
    })
  )

  it.live("a file that both changed during the run is left alone", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      yield* room.run("mixed", ({ shell }) =>
        Effect.gen(function* () {
          yield* shell("echo run >> a.txt")
          yield* Effect.sync(() => room.bash("echo mine >> a.txt"))
          yield* shell("echo run >> a.txt")
        })
      )
      expect((yield* room.undo.plan({ force: false })).leftAlone).toMatchObject([{ kind: "shared" }])
    })
  )

  it.live("ignored files are not touched", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: { ...FILES, ".gitignore": "*.log\nout/\n" }, prepare: "git init -q ." })
      yield* room.run("build", ({ shell }) => shell("mkdir out; echo 1 > out/1; echo 1 > x.log; echo 1 > src/new.ts"))
      const plan = yield* room.undo.plan({ force: false })
      expect(plan.steps.map(({ path }) => path)).toEqual([join(room.root, "src/new.ts")])
    })
  )

  it.live("files that git tracks are covered though they are ignored", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({
        files: { ...FILES, ".gitignore": "dist/\n*.log\n", "dist/kept.js": "1", "dist/other.js": "1", "x.log": "1" },
        prepare: "git init -q . && git add -f dist/kept.js x.log"
      })
      const before = room.fingerprint()
      yield* room.run("clean", ({ shell }) => shell("rm dist/kept.js x.log"))
      yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(room.fingerprint()).toEqual(before)
    })
  )

  it.live("submodules, linked work trees and pointers of large files are files like others", () =>
    Effect.gen(function* () {
      const identity = "-c user.name=t -c user.email=t@example.com -c protocol.file.allow=always"
      const room = yield* undoRoom({
        files: { ...FILES, "big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n" },
        prepare: [
          "git init -q ../lib && echo lib > ../lib/lib.txt",
          `git -C ../lib add -A && git -C ../lib ${identity} commit -qm lib`,
          `git init -q . && printf '* text eol=lf\\n*.bin filter=lfs\\n' > .gitattributes && git ${identity} submodule add -q ../lib sub`,
          `git add a.txt .gitattributes && git ${identity} commit -qm one && git worktree add -q tree`,
          "git init -q bare-nested && echo n > bare-nested/n.txt"
        ].join(" && ")
      })
      const before = room.fingerprint()
      yield* room.run("all", ({ shell }) =>
        shell(
          "echo 2 >> sub/lib.txt; rm tree/a.txt bare-nested/n.txt big.bin; echo new > sub/new; printf 'x\\r\\n' > src/b.ts"
        )
      )
      yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(room.fingerprint()).toEqual(before)
    })
  )

  it.live("nothing of the user's repository changes", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({
        files: FILES,
        prepare:
          "git init -q . && git -c user.name=u -c user.email=u@example.com commit -q --allow-empty -m one && git add a.txt"
      })
      const state = () =>
        Bun.spawnSync(["bash", "-c", "find .git -type f | sort | xargs sha1sum"], { cwd: room.root }).stdout.toString()
      const before = state()
      yield* room.run("change", ({ shell }) => shell("echo 1 >> a.txt; rm run.sh"))
      yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(state()).toBe(before)
    })
  )
})
