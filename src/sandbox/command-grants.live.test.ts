/** What `sandbox.toml` opens to whom, and how a grant is written into it. */
import { describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { readGrants, saveGrant } from "./command-grants.live.ts"
import { grantFor, grantsIn, refusedGrant } from "./command-grants.ts"

const { grants } = grantsIn({
  commands: {
    npm: { allowed_paths: ["~/.npm", "/cache"], allow_network: true },
    node: { allowed_paths: ["/cache"], readable_paths: ["~/.npm"], allow_network: true },
    make: { allow_network: false },
    pip: { allowed_domains: ["pypi.org", "*.pythonhosted.org"] },
    uv: { allowed_domains: ["pypi.org"] }
  }
})

const rows: ReadonlyArray<readonly [ReadonlyArray<string>, ReturnType<typeof grantFor>]> = [
  [["npm"], { writes: ["~/.npm", "/cache"], reads: ["~/.npm", "/cache"], domains: [], network: true }],
  [["cd", "npm"], { writes: ["~/.npm", "/cache"], reads: ["~/.npm", "/cache"], domains: [], network: true }],
  [["npm", "node"], { writes: ["/cache"], reads: ["~/.npm", "/cache"], domains: [], network: true }],
  [["npm", "curl"], { writes: [], reads: [], domains: [], network: false }],
  [["make"], { writes: [], reads: [], domains: [], network: false }],
  [["pip", "uv", "npm"], { writes: [], reads: [], domains: ["pypi.org"], network: false }],
  [["./npm"], { writes: [], reads: [], domains: [], network: false }],
  [["__proto__"], { writes: [], reads: [], domains: [], network: false }],
  [["cd"], { writes: [], reads: [], domains: [], network: false }],
  [[], { writes: [], reads: [], domains: [], network: false }]
]
test.each(rows)("a line of %j", (names, expected) => {
  expect(grantFor(grants, names)).toEqual(expected)
})

test("what does not count is said, and the rest counts", () => {
  const read = grantsIn({
    modes: { plan: {} },
    others: 1,
    commands: {
      npm: { allow_network: "yes" },
      pip: { allowed_domains: ["*"] },
      git: { allow_network: true },
      make: { network: true }
    }
  })
  expect([...read.grants.keys()]).toEqual(["git"])
  expect(read.faults).toHaveLength(5)
})

test.each([
  ["/", true],
  ["/home/u", true],
  ["/home", true],
  ["/home/u/.ssh", true],
  ["/home/u/.ssh/id_rsa", true],
  ["/home/u/.config", true],
  ["/etc", true],
  ["/home/u/.npm", false],
  ["/srv/data", false]
])("%s is too much: %s", (path, isRefused) => {
  const place = { home: "/home/u", secrets: ["/home/u/.ssh", "/home/u/.config/gcloud"] }
  expect(refusedGrant(path, place) !== undefined).toBe(isRefused)
})

const newFile = Effect.acquireRelease(
  Effect.sync(() => join(mkdtempSync(join(tmpdir(), "grants-")), "sandbox.toml")),
  (file) => Effect.sync(() => rmSync(join(file, ".."), { recursive: true, force: true }))
)

describe("the file", () => {
  it.live("takes grants one after the other, and keeps what else stands in it", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      writeFileSync(
        file,
        '# mine\n[commands.git]\nallow_network = true # needed\n\n[commands.npm]\nallowed_paths = [\n  "/a"\n]\n\n[commands."a.b"]\n'
      )
      yield* saveGrant(file, "npm", { writes: ["/b"], reads: [], domains: [], network: true })
      yield* saveGrant(file, "a.b", { writes: [], reads: ["/c"], domains: [], network: false })
      const { faults, grants } = readGrants(file)
      expect(faults).toEqual([])
      expect(Object.fromEntries(grants)).toEqual({
        git: { writes: [], reads: [], domains: [], network: true },
        npm: { writes: ["/a", "/b"], reads: [], domains: [], network: true },
        "a.b": { writes: [], reads: ["/c"], domains: [], network: false }
      })
      expect(readFileSync(file, "utf8")).toStartWith("# mine\n[commands.git]\nallow_network = true # needed\n")
    })
  )

  it.live("that cannot be read grants nothing, and is not written over", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      writeFileSync(file, "[commands.npm\n")
      expect(readGrants(file)).toMatchObject({ grants: new Map(), faults: [expect.stringContaining(file)] })
      yield* Effect.flip(saveGrant(file, "npm", { writes: [], reads: [], domains: [], network: true }))
      expect(readFileSync(file, "utf8")).toBe("[commands.npm\n")
    })
  )
})
