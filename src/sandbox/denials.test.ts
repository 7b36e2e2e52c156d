/** What words of programs come to: what was really missing and may be asked for, and nothing else. */
import { describe, expect, test } from "bun:test"
import * as FastCheck from "effect/FastCheck"
import { type CommandGrant, NO_GRANT } from "./command-grants.ts"
import { denialIn, lackOf, refusedWish, type Sight, usualNeed, wishOfDenial } from "./denials.ts"

const FOLDERS = ["/", "/srv", "/srv/data", "/srv/data/a", "/srv/data/b", "/srv/data/c", "/work", "/usr", "/usr/lib"]
const HOME_FOLDERS = ["/home/u", "/home/u/.ssh", "/home/u/.npm", "/home", "/opt/shut"]
const FILES = ["/srv/data/file", "/work/file", "/home/u/.ssh/id_rsa", "/srv/data/.env", "/usr/lib/x.so"]

const sight: Sight = {
  home: "/home/u",
  secrets: ["/home/u/.ssh"],
  realPath: (path) => path.replace(/^~/, "/home/u"),
  kindOf: (path) =>
    FILES.includes(path) ? "file" : [...FOLDERS, ...HOME_FOLDERS].includes(path) ? "folder" : undefined,
  mayOutside: (path, how) => path !== "/opt/shut" && (how === "read" || !path.startsWith("/usr")),
  mayInside: (path, how) =>
    path.startsWith("/work") || (how === "read" && (path.startsWith("/usr") || path === "/usr")),
  filtersDomains: true,
  network: false
}

const wish = (output: string, more: Partial<Sight> = {}): CommandGrant => {
  const denial = denialIn(output)
  return denial === undefined ? NO_GRANT : wishOfDenial(denial, { ...sight, ...more })
}
const writes = (...paths: ReadonlyArray<string>): CommandGrant => ({ ...NO_GRANT, writes: paths })
const reads = (...paths: ReadonlyArray<string>): CommandGrant => ({ ...NO_GRANT, reads: paths })

describe("what a program says", () => {
  test.each<readonly [string, CommandGrant]>([
    ["cat: /srv/data/file: No such file or directory", reads("/srv/data/file")],
    ["cat: /srv/data/file: Permission denied", reads("/srv/data/file")],
    ["bash: line 1: /srv/data/new: No such file or directory", writes("/srv/data")],
    ["touch: cannot touch '/srv/data/file': Read-only file system", writes("/srv/data")],
    ["mkdir: cannot create directory ‘/srv/data/a/x’: Read-only file system", writes("/srv/data/a")],
    ["Error: EROFS: read-only file system, open '/srv/data/b/x/y'", writes("/srv/data/b")],
    ["open('/srv/data/file'): PermissionError", reads("/srv/data/file")],
    [
      "cat: /srv/data/a: Permission denied\ncat: /srv/data/b: Permission denied\ncat: /srv/data/c: Permission denied",
      reads("/srv/data")
    ],
    // They are not there outside either, or nobody could.
    ["cat: /work/missing: No such file or directory", NO_GRANT],
    ["cat: /usr/missing: No such file or directory", NO_GRANT],
    ["npm error EACCES: permission denied, mkdir '/usr/lib/node_modules'", NO_GRANT],
    ["cat: /opt/shut/x: Permission denied", NO_GRANT],
    // Never by a question.
    ["permission denied: /home/u/.ssh/id_rsa", NO_GRANT],
    ["permission denied: ~/.ssh", NO_GRANT],
    ["permission denied: /home/u", NO_GRANT],
    ["touch: cannot touch '/home/u/new': Permission denied", NO_GRANT],
    ["permission denied: /srv/data/.env", NO_GRANT],
    ["permission denied: /srv/data/../../home/u/.ssh", NO_GRANT],
    ["permission denied: / /etc /root /home", NO_GRANT],
    // No words of a wall.
    ["/srv/data/file: syntax error", NO_GRANT],
    ["", NO_GRANT]
  ])("%p", (output, expected) => expect(wish(output)).toEqual(expected))

  test.each<readonly [string, ReadonlyArray<string>]>([
    ["curl: (6) Could not resolve host: pypi.org", ["pypi.org"]],
    ["npm error getaddrinfo EAI_AGAIN registry.npmjs.org", ["registry.npmjs.org"]],
    ["fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com", ["github.com"]],
    ["HTTPSConnectionPool(host='pypi.org', port=443): Temporary failure in name resolution", ["pypi.org"]],
    ["dial tcp: lookup proxy.golang.org: no such host", ["proxy.golang.org"]]
  ])("%p", (output, domains) => {
    expect(wish(output)).toEqual({ ...NO_GRANT, domains })
    expect(wish(output, { filtersDomains: false })).toEqual({ ...NO_GRANT, network: true })
    expect(wish(output, { network: true })).toEqual(NO_GRANT)
  })

  test("the whole network only where no host is named", () => {
    expect(wish("connect: Network is unreachable")).toEqual({ ...NO_GRANT, network: true })
  })

  test("whatever it says, no secret and nothing of a whole machine comes of it", () => {
    const place = FastCheck.constantFrom(
      ...FOLDERS,
      ...HOME_FOLDERS,
      ...FILES,
      "~",
      "~/.ssh/x",
      "/srv/..",
      "/etc",
      "//"
    )
    const words = FastCheck.constantFrom("Permission denied", "No such file or directory", "EROFS", "x", "\u0000", "'")
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.tuple(words, place, FastCheck.string())), (lines) => {
        const found = wish(lines.map((line) => line.join(" ")).join("\n"))
        for (const path of [...found.writes, ...found.reads]) {
          expect(path).toMatch(/^\/(?:srv|home\/u\/\.npm)/)
          expect(path).not.toMatch(/\.env|\.\./)
        }
      })
    )
  })
})

test("of a stated wish remains what is lacking, and what is too much is refused", () => {
  const stated = { writes: ["/work/x", "/srv/data"], reads: ["/usr/lib", "/srv/data"], domains: [], network: true }
  expect(lackOf(stated, sight)).toEqual({ ...writes("/srv/data"), network: true })
  expect(refusedWish(writes("/srv/data"), sight)).toBeUndefined()
  for (const path of ["~/.ssh", "/", "/home", "/srv/data/.env", "relative"])
    expect(refusedWish(writes(path), sight)).toBeDefined()
})

test.each([
  ["npm ci", true],
  ["npm --silent install x", true],
  ["npm test", false],
  ["npm --version", false],
  ["yarn", true],
  ["yarn test", false],
  ["git push origin", true],
  ["git status", false],
  ["git log", false],
  ["git submodule update --init", true],
  ["git submodule status", false],
  ["curl localhost", true],
  ["constructor x", false],
  ["make", false]
])("%s usually needs the network: %s", (line, isNeeded) => {
  expect(usualNeed(line.split(" ")).network).toBe(isNeeded)
})
