import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, FastCheck as fc } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { blockedSegment, decideAccess, isInside, type PathAccess } from "./containment.ts"
import { pathFault } from "./path-format.ts"
import * as Workspaces from "./workspace.ts"

const setup = Effect.fnUntraced(function* (files: Record<string, string> = {}) {
  const base = yield* tempFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`ws/${name}`, text])))
  for (const name of ["ws", "ws-evil", "outside", "temp"]) mkdirSync(join(base, name), { recursive: true })
  writeFileSync(join(base, "outside/secret"), "secret")
  writeFileSync(join(base, "ws-evil/secret"), "secret")
  const workspace = yield* Effect.provide(
    Workspaces.Workspace,
    Workspaces.layer({
      targetDir: join(base, "ws"),
      tempDir: join(base, "temp"),
      memoryFile: join(base, "home/GEMINI.md")
    })
  )
  const verdict = (path: string, access: PathAccess = "read") =>
    workspace.resolve(path, access).pipe(
      Effect.map((found) => found.real),
      Effect.catchAll((error) => Effect.succeed(error.kind))
    )
  return { base, root: join(base, "ws"), verdict, workspace }
})

const read = (workspace: Workspaces.Workspace["Type"], path: Workspaces.ResolvedPath) =>
  workspace.read(path, { maxBytes: 1000 }).pipe(Effect.map(({ bytes }) => new TextDecoder().decode(bytes)))

it.live("paths that lead out are refused, whatever their form", () =>
  Effect.gen(function* () {
    const { base, root, verdict } = yield* setup()
    symlinkSync(join(base, "outside"), join(root, "link"))
    symlinkSync("../outside/not-yet", join(root, "dangling"))
    symlinkSync("loop-b", join(root, "loop-a"))
    symlinkSync("loop-a", join(root, "loop-b"))
    const attacks = {
      "../outside/secret": "outside",
      "a/../../outside/secret": "outside",
      "link/secret": "outside",
      "link/../link/secret": "outside",
      dangling: "outside",
      "../ws-evil/secret": "outside",
      [`${root}-evil/secret`]: "outside",
      [`/${base}/outside/secret`]: "outside",
      [`file://${base}/outside/secret`]: "outside",
      "/etc/passwd": "outside",
      "~/x": join(root, "~/x"),
      "loop-a": "loop",
      "loop-a/x": "loop",
      "": "malformed",
      "a\nb": "malformed",
      [`${"x".repeat(256)}`]: "malformed",
      "sec\u0000ret": "malformed",
      "..\u0000/outside/secret": "malformed"
    }
    for (const [path, expected] of Object.entries(attacks))
      expect([path, yield* verdict(path)]).toEqual([path, expected])
  })
)

it.live("version control data, secrets and credentials are closed; node_modules may be read", () =>
  Effect.gen(function* () {
    const { root, verdict } = yield* setup({ "node_modules/a/index.d.ts": "", ".env": "K=1", "conf/env": "K=1" })
    symlinkSync(".env", join(root, "innocent"))
    mkdirSync(join(root, "other"))
    symlinkSync("../conf/env", join(root, "other/.env"))
    for (const closed of [
      ".git/config",
      ".GIT/config",
      ".git./config",
      ".env",
      "a/.env",
      "gha-creds-1.json",
      "innocent",
      "other/.env"
    ])
      expect([closed, yield* verdict(closed)]).toEqual([closed, "blocked"])
    expect(yield* verdict("node_modules/a/index.d.ts")).toBe(join(root, "node_modules/a/index.d.ts"))
    expect(yield* verdict("node_modules/a/index.d.ts", "write")).toBe("blocked")
    expect(yield* verdict(".env.example")).toBe(join(root, ".env.example"))
  })
)

it.live("the temp folder, the memory file and named paths are the only exceptions", () =>
  Effect.gen(function* () {
    const { base, verdict, workspace } = yield* setup()
    expect(yield* verdict(join(base, "temp/out.txt"), "write")).toBe(join(base, "temp/out.txt"))
    expect(yield* verdict(join(base, "temp/memory/.inbox/x"), "write")).toBe("blocked")
    expect(yield* verdict(join(base, "home/GEMINI.md"), "write")).toBe(join(base, "home/GEMINI.md"))
    expect(yield* verdict(join(base, "home/other.md"), "write")).toBe("outside")
    yield* workspace.allowRead(join(base, "outside"))
    expect(yield* verdict(join(base, "outside/secret"))).toBe(join(base, "outside/secret"))
    expect(yield* verdict(join(base, "outside/secret"), "write")).toBe("outside")
    expect(yield* workspace.addRoot(join(base, "outside"))).toBe(join(base, "outside"))
    expect(yield* verdict(join(base, "outside/secret"), "write")).toBe(join(base, "outside/secret"))
  })
)

it.live("mentions lose their @ only when nothing is called that; plain paths are not percent-decoded", () =>
  Effect.gen(function* () {
    const { root, verdict } = yield* setup({ "src/a.ts": "", "@types/b.ts": "", "a%20b": "", "@c": "" })
    const expected = {
      "@src/a.ts": "src/a.ts",
      "@/src/a.ts": "src/a.ts",
      "@types/b.ts": "@types/b.ts",
      "@types/new.ts": "@types/new.ts",
      "@c": "@c",
      "a%20b": "a%20b"
    }
    for (const [path, real] of Object.entries(expected))
      expect([path, yield* verdict(path)]).toEqual([path, join(root, real)])
    expect(yield* verdict(`file://${root}/a%2520b`)).toBe(join(root, "a%20b"))
  })
)

it.live("a link swapped in between check and use leads nowhere", () =>
  Effect.gen(function* () {
    const { base, root, workspace } = yield* setup({ "dir/secret": "mine", file: "mine" })
    const inFolder = yield* workspace.resolve("dir/secret", "write")
    const file = yield* workspace.resolve("file", "write")
    expect(yield* read(workspace, inFolder)).toBe("mine")
    renameSync(join(root, "dir"), join(root, "dir-old"))
    symlinkSync(join(base, "outside"), join(root, "dir"))
    renameSync(join(root, "file"), join(root, "file-old"))
    symlinkSync(join(base, "outside/secret"), join(root, "file"))
    for (const path of [inFolder, file]) {
      expect((yield* Effect.flip(read(workspace, path))).kind).toBe("moved")
      yield* Effect.flip(workspace.write(path, new TextEncoder().encode("pwned")))
    }
    expect(readFileSync(join(base, "outside/secret"), "utf8")).toBe("secret")
  })
)

it.live("pipes, devices, sockets, folders and large files are not opened", () =>
  Effect.gen(function* () {
    const { root, workspace } = yield* setup({ large: "x".repeat(1001) })
    yield* Effect.promise(() => Bun.spawn(["mkfifo", join(root, "pipe")]).exited)
    yield* Effect.promise(() => Bun.spawn(["mknod", join(root, "zero"), "c", "1", "5"]).exited)
    using _server = Bun.listen({ unix: join(root, "socket"), socket: { data: () => {} } })
    const kindOf = (name: string) =>
      workspace.resolve(name, "read").pipe(
        Effect.flatMap((path) => Effect.flip(read(workspace, path))),
        Effect.map((error) => error.kind)
      )
    expect(yield* kindOf("pipe")).toBe("not-regular")
    expect(["not-regular", "not-found"]).toContain(yield* kindOf("zero"))
    expect(yield* kindOf("socket")).toBe("not-regular")
    expect(yield* kindOf(".")).toBe("is-directory")
    expect(yield* kindOf("large")).toBe("too-large")
    expect(yield* kindOf("none")).toBe("not-found")
  })
)

it.live("a path that was resolved for reading cannot be written", () =>
  Effect.gen(function* () {
    const { workspace } = yield* setup({ a: "1" })
    const path = yield* workspace.resolve("a", "read")
    expect((yield* Effect.flip(workspace.write(path, new Uint8Array()))).kind).toBe("permission-denied")
  })
)

test("whatever is put together from hostile segments stays inside or is refused", () => {
  const segment = fc.constantFrom("..", ".", "", "a", "ws", "ws-evil", ".git", "b c", "%2e%2e", "//")
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const path = join("/base/ws", ...segments)
      const border = { roots: ["/base/ws"], readOnly: [], tempDir: undefined, memoryFile: undefined }
      const isAllowed = decideAccess(border, path, "read") === "allowed"
      expect(isAllowed).toBe((path === "/base/ws" || path.startsWith("/base/ws/")) && !path.split("/").includes(".git"))
    })
  )
})

test.each([
  ["/a", "/a", true],
  ["/a", "/a/b", true],
  ["/a", "/ab", false],
  ["/", "/x", true]
])("isInside(%s, %s)", (root, path, expected) => expect(isInside(root, path)).toBe(expected))

test.each([
  [".git::$DATA/x", ".git::$DATA"],
  ["a/.env ", ".env "],
  ["GHA-CREDS-x.JSON", "GHA-CREDS-x.JSON"],
  [".github/x", null],
  ["gha-creds.json", null]
])("blockedSegment(%s)", (path, expected) => expect(blockedSegment(path, "read")).toBe(expected))

test.each([
  ["src/a.ts", true],
  ['say "hi"', true],
  ['a long sentence that says "hi"', false],
  ["something long and then ... more", false],
  ["src/FAIL x.ts", false],
  ["AssertionError: expected", false],
  ["a\tb", false],
  ["x/".repeat(2049), false]
])("pathFault(%.40j)", (path, isPath) => expect(pathFault(path) === null).toBe(isPath))
