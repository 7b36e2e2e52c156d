/** Who can reach what, and how bubblewrap and Landlock are told. */
import { describe, expect, test } from "bun:test"
import { bwrapArguments, hiddenFromInside } from "./bwrap-arguments.ts"
import { landlockRules } from "./landlock-rules.ts"
import { type MachineFacts, type ProfileInput, profileOf } from "./profile.ts"

const facts: MachineFacts = {
  system: ["/usr", "/etc"],
  links: [{ path: "/bin", target: "usr/bin" }],
  kernelSwitches: ["/proc/sys"],
  ownDevices: [],
  toolchains: ["/home/u/.cargo"],
  secrets: [
    { path: "/home/u/.ssh", kind: "folder" },
    { path: "/home/u/.cargo/credentials.toml", kind: "file" },
    { path: "/etc/shadow", kind: "file" }
  ],
  repositories: {
    places: ["/home/u/p/.git"],
    data: ["/home/u/main/.git"],
    guarded: ["/home/u/p/.git/config", "/home/u/p/.git/hooks"],
    absent: ["/home/u/p/.git/commondir"]
  },
  scan: { secrets: ["/home/u/p/.env"], repositories: [], ownFolders: ["/home/u/p/.gemini"] }
}

const given: ProfileInput = {
  cwd: "/home/u/p",
  roots: ["/home/u/p"],
  allowedPaths: [],
  network: false,
  access: "write",
  usesGit: false,
  reads: [],
  writes: [],
  home: "/home/u",
  facts
}

describe("the profile", () => {
  test("of a command: the workspace, less the repository and our own folder", () => {
    const { guarded, hidden, writable } = profileOf(given)
    expect(writable).toEqual(["/home/u/p"])
    expect(guarded).toEqual(["/home/u/p/.git", "/home/u/p/.gemini"])
    expect(hidden.map(({ path }) => path)).toEqual(["/home/u/.cargo/credentials.toml", "/etc/shadow", "/home/u/p/.env"])
  })

  test("of one that commits: the data of the repository, less what acts later", () => {
    const { guarded, writable } = profileOf({ ...given, usesGit: true })
    expect(writable).toEqual(["/home/u/p", "/home/u/main/.git", "/home/u/p/.git"])
    expect(guarded).toEqual(["/home/u/p/.git/config", "/home/u/p/.git/hooks", "/home/u/p/.gemini"])
  })

  test("of one that reads: nothing is written, also when it names git", () => {
    const { readable, writable } = profileOf({ ...given, access: "read", usesGit: true })
    expect(writable).toEqual([])
    expect(readable).toContain("/home/u/p")
    expect(readable).toContain("/home/u/main/.git")
  })

  test("a folder inside another root is no folder of its own, and keys in an opened home stay hidden", () => {
    const { hidden, writable } = profileOf({ ...given, roots: ["/home/u", "/home/u/p"] })
    expect(writable).toEqual(["/home/u"])
    expect(hidden.map(({ path }) => path)).toContain("/home/u/.ssh")
  })
})

const setting = {
  closedFile: "/x/closed",
  closedFolder: "/x/closed.d",
  diesWithParent: true,
  launcher: undefined,
  proxySocket: undefined
}

describe("as arguments of bubblewrap", () => {
  const order = (args: ReadonlyArray<string>, ...paths: ReadonlyArray<string>) =>
    paths.map((path) => args.lastIndexOf(path))

  test("what lies deeper comes later, and what is hidden last", () => {
    const args = bwrapArguments({ profile: profileOf(given), ...setting })
    const places = order(args, "/usr", "/home/u/.cargo", "/home/u/p/.git", "/home/u/p/.env", "--remount-ro")
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places).not.toContain(-1)
    expect(args.join(" ")).toContain("--tmpfs /home/u ")
    expect(args.join(" ")).toContain("--ro-bind /x/closed /home/u/p/.env")
    expect(args.join(" ")).toContain("--ro-bind /proc/sys /proc/sys")
    expect(args).not.toContain("--share-net")
  })

  test("the network, and a command that goes on", () => {
    const profile = profileOf({ ...given, network: true })
    const args = bwrapArguments({ profile, ...setting, diesWithParent: false })
    expect(args).toContain("--share-net")
    expect(args).not.toContain("--die-with-parent")
  })

  test("very many secrets are left to be hidden from inside", () => {
    const secrets = Array.from({ length: 10_000 }, (_, index) => `/home/u/p/${index}/.env`)
    const profile = profileOf({ ...given, facts: { ...facts, scan: { ...facts.scan, secrets } } })
    expect(hiddenFromInside(profile.hidden)).toHaveLength(10_002)
    expect(
      bwrapArguments({ profile, ...setting, launcher: { path: "/launcher", mayMount: true } }).length
    ).toBeLessThan(200)
  })
})

test("as rules of Landlock: around a secret every neighbour has its own rule", () => {
  const folders: Readonly<Record<string, ReadonlyArray<string>>> = {
    "/home/u/p": [".env", "src", "a.txt"],
    "/etc": ["shadow", "hosts"]
  }
  const rules = landlockRules(profileOf(given), (folder) =>
    (folders[folder] ?? []).map((name) => ({ name, isLink: false }))
  )
  const readable = rules.filter(({ rights }) => (rights & 4) !== 0).map(({ path }) => path)
  expect(readable).toContain("/home/u/p/src")
  expect(readable).toContain("/etc/hosts")
  expect(readable).not.toContain("/home/u/p")
  expect(readable).not.toContain("/home/u/p/.env")
  expect(readable).not.toContain("/etc/shadow")
  expect(rules.filter(({ path, rights }) => path.startsWith("/etc") && (rights & 2) !== 0)).toEqual([])
})
