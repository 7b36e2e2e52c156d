/**
 * The configuration of a repository against the real git: everything that makes a reading command start a program is seen
 * before, and most of it does not start in the environment of commands that run unasked.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { kernelPath } from "../../files/real-path.ts"
import { unaskedEnvironment } from "../../shell/unasked-environment.ts"
import { childVariables } from "../../system/child-variables.ts"
import { gitFolder } from "./git-repository.ts"

let root = ""
/** Written to by every program that is started. */
let marker = ""
let program = ""
let template = ""
let count = 0

const environment = (): Record<string, string> => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: join(root, "home"),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_ALLOW_PROTOCOL: "file"
})

const git = (folder: string, args: ReadonlyArray<string>, env = environment()) => {
  const ended = Bun.spawnSync(["git", ...args], { cwd: folder, env, stdin: "ignore" })
  return { code: ended.exitCode, text: ended.stdout.toString(), errors: ended.stderr.toString() }
}

const must = (folder: string, ...args: ReadonlyArray<string>): string => {
  const { code, errors, text } = git(folder, args)
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${errors}`)
  return text
}

/** A repository with two commits, a changed file, and attributes that name drivers. */
const repository = (): string => {
  const folder = join(root, `r${count++}`)
  cpSync(template, folder, { recursive: true })
  return folder
}

const doubtOf = (folder: string, variables: Record<string, string> = {}) =>
  gitFolder(folder, variables, new Set(["log", "whatchanged"])).readingDoubt

beforeAll(() => {
  root = kernelPath("/", mkdtempSync(join(tmpdir(), "git-repository-"))) ?? ""
  mkdirSync(join(root, "home"))
  marker = join(root, "started")
  program = join(root, "program")
  writeFileSync(program, `#!/bin/sh\necho x >> '${marker}'\nexit 0\n`)
  chmodSync(program, 0o755)
  template = join(root, "template")
  mkdirSync(template)
  must(template, "init", "-q", "-b", "main")
  writeFileSync(join(template, ".gitattributes"), "*.txt filter=own diff=own merge=own\n")
  writeFileSync(join(template, "a.txt"), "one\n")
  must(template, "add", ".")
  must(template, "commit", "-qm", "one")
  writeFileSync(join(template, "a.txt"), "two\n")
  must(template, "commit", "-qam", "two")
  writeFileSync(join(template, "a.txt"), "three\n")
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Settings that start `program`: with which command, and whether the environment of unasked commands prevents it. */
const STARTING: ReadonlyArray<readonly [key: string, value: string, args: string, isPrevented: boolean]> = [
  ["core.fsmonitor", "PROGRAM", "status", true],
  ["diff.external", "PROGRAM", "diff", false],
  ["diff.own.command", "PROGRAM", "diff", false],
  ["diff.own.textconv", "PROGRAM", "diff", false],
  ["diff.own.textconv", "PROGRAM", "log -p", false],
  ["filter.own.clean", "PROGRAM", "diff", false],
  ["filter.own.process", "PROGRAM", "diff", false],
  ["core.hooksPath", "HOOKS", "status", true],
  ["log.showSignature", "true", "log", true],
  ["core.alternateRefsCommand", "PROGRAM", "rev-list --alternate-refs", false]
]

describe("settings that start programs", () => {
  for (const [key, value, args, isPrevented] of STARTING) {
    test(`${key} with ${args}`, () => {
      const folder = repository()
      const hooks = join(folder, "hooks")
      mkdirSync(hooks)
      symlinkSync(program, join(hooks, "post-index-change"))
      must(folder, "config", key, value.replace("PROGRAM", program).replace("HOOKS", hooks))
      if (key === "log.showSignature") {
        must(folder, "config", "gpg.program", program)
        signed(folder)
      }
      if (key === "core.alternateRefsCommand")
        writeFileSync(join(folder, ".git/objects/info/alternates"), `${join(template, ".git/objects")}\n`)
      // A new time makes git look at the content, and write the index anew.
      utimesSync(join(folder, ".gitattributes"), 1, 1)
      rmSync(marker, { force: true })
      git(folder, args.split(" "))
      expect([key, existsSync(marker)]).toEqual([key, true])
      rmSync(marker)
      if (isPrevented) {
        git(
          folder,
          args.split(" "),
          unaskedEnvironment(childVariables({ inherits: environment() }), {
            gitAttributes: "/dev/null",
            ripgrepConfig: "/dev/null"
          })
        )
        expect([key, existsSync(marker)]).toEqual([key, false])
      }
      if (key === "core.alternateRefsCommand") expect(doubtOf(folder)).toContain("objects of another repository")
      else if (key !== "core.hooksPath") expect(doubtOf(folder)).toContain(key.toLowerCase())
    })
  }
})

/** A commit that carries a signature, which nobody has made. */
const signed = (folder: string): void => {
  const commit = must(folder, "cat-file", "commit", "HEAD")
  const [head = "", message = ""] = commit.split("\n\n")
  const text = `${head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n${message}`
  writeFileSync(join(folder, "object"), text)
  const id = must(folder, "hash-object", "-t", "commit", "-w", "object").trim()
  must(folder, "update-ref", "HEAD", id)
}

test("a repository as git makes it raises no doubt", () => {
  const folder = repository()
  expect(doubtOf(folder)).toBeUndefined()
  mkdirSync(join(folder, "deep/er"), { recursive: true })
  const { contentDoubt, namesClosed, searchDoubt, ...rest } = gitFolder(join(folder, "deep/er"), {}, new Set())
  const doubts = [searchDoubt?.(), contentDoubt?.(false), namesClosed?.(["abcd"])]
  expect([rest, ...doubts]).toEqual([{ isFound: true }, undefined, undefined, undefined])
})

test("where there is none, git has nothing to follow", () => {
  expect(gitFolder(join(root, "home"), {}, new Set())).toEqual({ isFound: false })
})

describe("everyday settings", () => {
  const settings: ReadonlyArray<readonly [key: string, value: string]> = [
    ["core.fsmonitor", "true"],
    ["core.fsmonitor", "false"],
    ["core.hooksPath", ".husky"],
    ["core.sshCommand", "ssh -i ~/.ssh/work"],
    ["core.autocrlf", "input"],
    ["remote.origin.url", "git@example.com:a/b.git"],
    ["branch.main.remote", "origin"],
    ["branch.main.vscode-merge-base", "origin/main"],
    ["user.email", "a@example.com"],
    ["user.signingkey", "ABC"],
    ["commit.gpgsign", "true"],
    ["pull.rebase", "true"],
    ["submodule.lib.url", "https://example.com/lib"],
    ["submodule.lib.active", "true"],
    ["filter.lfs.clean", "git-lfs clean -- %f"],
    ["filter.lfs.process", "git-lfs filter-process"],
    ["filter.lfs.required", "true"],
    ["lfs.repositoryformatversion", "0"],
    ["lfs.https://example.com/a.git/info/lfs.access", "basic"],
    ["merge.ours.driver", "true"],
    ["diff.sql.xfuncname", "^create"],
    ["http.https://github.com/.extraheader", "AUTHORIZATION: basic abc"],
    ["alias.st", "!echo hello"],
    ["pager.branch", "false"],
    ["log.date", "iso"],
    ["pretty.short", "%h %s"],
    ["extensions.worktreeConfig", "true"]
  ]
  for (const [key, value] of settings) {
    test(`${key} = ${value}`, () => {
      const folder = repository()
      must(folder, "config", key, value)
      expect(doubtOf(folder)).toBeUndefined()
    })
  }
})

describe("settings that are not known to be harmless", () => {
  const settings: ReadonlyArray<readonly [key: string, value: string]> = [
    ["core.pager", "PROGRAM"],
    ["core.worktree", "/etc"],
    ["core.worktree", "../.."],
    ["pager.log", "PROGRAM"],
    ["gpg.program", "PROGRAM"],
    ["gpg.ssh.program", "PROGRAM"],
    ["filter.lfs.clean", "git-lfs clean -- %f; PROGRAM"],
    ["lfs.extension.own.clean", "PROGRAM"],
    ["merge.own.driver", "PROGRAM"],
    ["log.diffMerges", "remerge"],
    ["diff.submodule", "diff"],
    ["status.submoduleSummary", "true"],
    ["format.pretty", "%GG"],
    ["pretty.own", "%G?"],
    ["alias.log", "!PROGRAM"],
    ["alias.whatchanged", "!PROGRAM"],
    ["hook.own.command", "PROGRAM"],
    ["protocol.ext.allow", "always"],
    ["remote.origin.uploadpack", "PROGRAM"],
    ["remote.origin.vcs", "own"],
    ["trailer.own.command", "PROGRAM"],
    ["unheard.of", "1"],
    ["include.path", "~/more"],
    ["include.path", "/nowhere/../more"]
  ]
  for (const [key, value] of settings) {
    test(`${key} = ${value}`, () => {
      const folder = repository()
      must(folder, "config", key, value)
      expect(doubtOf(folder)).toContain(key.replace(/[^.]*$/, (name) => name.toLowerCase()))
    })
  }

  test("in a file that is included, under whatever condition", () => {
    for (const key of ["include.path", "includeIf.gitdir:/nowhere/.path", "includeIf.onbranch:x.path"]) {
      const folder = repository()
      must(folder, "config", key, "../shared.config")
      writeFileSync(join(folder, "shared.config"), "[user]\n\tname = a\n")
      expect(doubtOf(folder)).toBeUndefined()
      writeFileSync(join(folder, "shared.config"), "[core]\n\tfsmonitor = ./x\n")
      expect(doubtOf(folder)).toContain("core.fsmonitor")
    }
  })

  test("in the configuration of a work tree", () => {
    const folder = repository()
    writeFileSync(join(folder, ".git/config.worktree"), "[diff]\n\texternal = ./x\n")
    expect(doubtOf(folder)).toContain("diff.external")
  })

  test("in a configuration that is a link, or no configuration", () => {
    const folder = repository()
    const config = join(folder, ".git/config")
    rmSync(config)
    writeFileSync(join(root, "other"), "[core]\n\tpager = x\n")
    symlinkSync(join(root, "other"), config)
    expect(doubtOf(folder)).toContain("leads out of the repository")
    rmSync(config)
    symlinkSync("own", config)
    writeFileSync(join(folder, ".git/own"), "[core]\n\tpager = x\n")
    expect(doubtOf(folder)).toContain("core.pager")
    writeFileSync(join(folder, ".git/own"), "[core\n")
    expect(doubtOf(folder)).toContain("not understood")
  })
})

describe("repositories that nobody means", () => {
  const bare = (): string => {
    const folder = join(repository(), "evil")
    must(root, "init", "-q", "--bare", folder)
    must(root, "--git-dir", folder, "config", "core.fsmonitor", program)
    must(root, "--git-dir", folder, "config", "core.bare", "false")
    must(root, "--git-dir", folder, "config", "core.worktree", ".")
    return folder
  }

  test("a bare one around the working folder starts programs, and is seen", () => {
    const folder = bare()
    rmSync(marker, { force: true })
    git(folder, ["status"])
    expect(existsSync(marker)).toBe(true)
    rmSync(marker)
    git(
      folder,
      ["status"],
      unaskedEnvironment(childVariables({ inherits: environment() }), {
        gitAttributes: "/dev/null",
        ripgrepConfig: "/dev/null"
      })
    )
    expect(existsSync(marker)).toBe(false)
    for (const inside of ["", "refs", "objects/info", "hooks"]) {
      const found = gitFolder(join(folder, inside), {}, new Set())
      expect(found.readingDoubt).toContain("itself a repository")
      expect(found.actingDoubt).toBe(found.readingDoubt)
    }
  })

  test("one that shares its objects with another", () => {
    const folder = join(repository(), "evil")
    mkdirSync(folder)
    writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n")
    writeFileSync(join(folder, "commondir"), "../.git\n")
    writeFileSync(join(folder, "config.worktree"), `[core]\n\tfsmonitor = ${program}\n`)
    expect(doubtOf(folder)).toContain("itself a repository")
  })

  test("a `.git` that leads to somebody else's", () => {
    const other = repository()
    const folder = join(root, "pointing")
    for (const text of [`gitdir: ${other}/.git\n`, "gitdir: ../r0/.git", "nonsense"]) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      writeFileSync(join(folder, ".git"), text)
      expect(doubtOf(folder)).toContain("does not belong")
    }
    rmSync(join(folder, ".git"))
    symlinkSync(join(other, ".git"), join(folder, ".git"))
    expect(doubtOf(folder)).toContain("leads elsewhere")
  })

  test("a `.git` without a repository in it", () => {
    const folder = join(repository(), "sub")
    mkdirSync(join(folder, ".git"), { recursive: true })
    expect(doubtOf(folder)).toContain("no repository")
  })

  test("one that a variable names, unless it is the same", () => {
    const folder = repository()
    const other = repository()
    expect(doubtOf(folder, { GIT_DIR: ".git", GIT_INDEX_FILE: ".git/index" })).toBeUndefined()
    expect(doubtOf(folder, { GIT_DIR: join(folder, ".git"), GIT_WORK_TREE: "." })).toBeUndefined()
    for (const [name, value] of Object.entries({
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: "/etc",
      GIT_INDEX_FILE: join(other, ".git/index"),
      GIT_COMMON_DIR: join(other, ".git"),
      GIT_OBJECT_DIRECTORY: "/tmp",
      GIT_NAMESPACE: "x"
    })) {
      expect(doubtOf(folder, { [name]: value })).toContain(name)
    }
    expect(doubtOf(join(root, "home"), { GIT_DIR: join(other, ".git") })).toContain("GIT_DIR")
  })
})

/** Files of a repository that came with somebody's archive: what git prints of other places through them. */
const STRAYS: ReadonlyArray<readonly [what: string, args: string, doubt: string, arrange: (folder: string) => void]> = [
  ["a todo list", "status", "rebase-merge/done", (folder) => rebaseWith(folder, "rebase-merge/done")],
  ["the folder of a todo list", "status", "rebase-merge", (folder) => rebaseWith(folder, "rebase-merge")],
  [
    "patterns of names",
    "check-ignore -v secret",
    "info/exclude",
    (folder) => {
      mkdirSync(join(folder, ".git/info"), { recursive: true })
      rmSync(join(folder, ".git/info/exclude"), { force: true })
      symlinkSync(join(root, "outside/done"), join(folder, ".git/info/exclude"))
    }
  ],
  [
    "all objects",
    "log -p --all",
    "objects",
    (folder) => {
      const other = outsider()
      for (const name of ["objects", "refs"]) {
        rmSync(join(folder, ".git", name), { recursive: true })
        symlinkSync(join(other, ".git", name), join(folder, ".git", name))
      }
    }
  ],
  [
    "objects that it borrows",
    "log -p outside",
    "objects of another repository",
    (folder) => {
      const other = outsider()
      writeFileSync(join(folder, ".git/objects/info/alternates"), `${other}/.git/objects\n`)
      writeFileSync(join(folder, ".git/refs/heads/outside"), must(other, "rev-parse", "HEAD"))
    }
  ],
  [
    "most of a repository",
    "log -p --all",
    "leads elsewhere",
    (folder) => writeFileSync(join(folder, ".git/commondir"), `${outsider()}/.git\n`)
  ],
  [
    "a work tree",
    "worktree list",
    "worktrees/w/gitdir",
    (folder) => {
      mkdirSync(join(folder, ".git/worktrees/w"), { recursive: true })
      writeFileSync(join(folder, ".git/worktrees/w/HEAD"), "ref: refs/heads/main\n")
      writeFileSync(join(folder, ".git/worktrees/w/commondir"), "../..\n")
      symlinkSync(join(root, "outside/done"), join(folder, ".git/worktrees/w/gitdir"))
    }
  ],
  ...["blame.ignoreRevsFile", "core.excludesFile", "mailmap.file"].map(
    (key) =>
      [
        key,
        { "blame.ignoreRevsFile": "blame a.txt", "core.excludesFile": "check-ignore -v secret" }[key] ?? "",
        key.toLowerCase(),
        (folder: string) => {
          symlinkSync(join(root, "outside/done"), join(folder, "link"))
          must(folder, "config", key, "link")
        }
      ] as const
  )
]

const rebaseWith = (folder: string, name: string): void => {
  const state = join(folder, ".git/rebase-merge")
  for (const at of [state, join(root, "outside")]) {
    mkdirSync(at, { recursive: true })
    for (const file of ["interactive", "git-rebase-todo"]) writeFileSync(join(at, file), "")
    writeFileSync(join(at, "head-name"), "refs/heads/main\n")
    writeFileSync(join(at, "onto"), "HEAD\n")
  }
  rmSync(join(folder, ".git", name), { recursive: true, force: true })
  symlinkSync(join(root, "outside", name === "rebase-merge" ? "." : "done"), join(folder, ".git", name))
}

const outsider = (): string => {
  const folder = join(root, `outsider${count++}`)
  mkdirSync(folder)
  must(folder, "init", "-q", "-b", "main")
  writeFileSync(join(folder, "file"), "secret\n")
  must(folder, "add", ".")
  must(folder, "commit", "-qm", "one")
  return folder
}

describe("what leads out of a repository is printed by git, and seen before", () => {
  for (const [what, args, doubt, arrange] of STRAYS) {
    test(`${what} with ${args}`, () => {
      mkdirSync(join(root, "outside"), { recursive: true })
      writeFileSync(join(root, "outside/done"), "secret\n")
      const folder = repository()
      expect(doubtOf(folder)).toBeUndefined()
      arrange(folder)
      if (args !== "") {
        const { errors, text } = git(folder, args.split(" "))
        expect(`${text}${errors}`).toContain("secret")
      }
      expect(doubtOf(folder)).toContain(doubt)
    })
  }

  test("`commondir` has programs of the other configuration started", () => {
    const folder = repository()
    const other = repository()
    must(other, "config", "filter.own.clean", program)
    utimesSync(join(folder, ".gitattributes"), 1, 1)
    writeFileSync(join(folder, ".git/commondir"), `${other}/.git\n`)
    rmSync(marker, { force: true })
    git(folder, ["diff"])
    expect(existsSync(marker)).toBe(true)
    expect(doubtOf(folder)).toContain("leads elsewhere")
  })

  test("an index that names files behind a link", () => {
    const folder = repository()
    const searched = () => gitFolder(folder, {}, new Set()).searchDoubt?.()
    mkdirSync(join(folder, "deep/er"), { recursive: true })
    writeFileSync(join(folder, "deep/er/b.txt"), "two\n")
    must(folder, "add", ".")
    expect(searched()).toBeUndefined()
    mkdirSync(join(root, "outside"), { recursive: true })
    writeFileSync(join(root, "outside/b.txt"), "secret\n")
    rmSync(join(folder, "deep/er"), { recursive: true })
    symlinkSync(join(root, "outside"), join(folder, "deep/er"))
    expect(git(folder, ["grep", "secret"]).text).toContain("secret")
    expect(searched()).toContain("deep/er")
  })
})

describe("work trees and submodules", () => {
  test("belong to their folder, and have its configuration", () => {
    const folder = repository()
    const tree = join(root, `tree${count++}`)
    must(folder, "worktree", "add", "-q", tree)
    expect(doubtOf(tree)).toBeUndefined()
    must(folder, "config", "core.pager", "x")
    expect(doubtOf(tree)).toContain("core.pager")
  })

  test("a submodule is a repository of its own", () => {
    const folder = repository()
    must(folder, "submodule", "--quiet", "add", template, "lib")
    expect(doubtOf(folder)).toBeUndefined()
    expect(doubtOf(join(folder, "lib"))).toBeUndefined()
    must(join(folder, "lib"), "config", "filter.own.clean", program)
    expect(doubtOf(join(folder, "lib"))).toContain("filter.own.clean")
    // Git enters it from outside.
    writeFileSync(join(folder, "lib/a.txt"), "six\n")
    rmSync(marker, { force: true })
    git(folder, ["status"])
    expect(existsSync(marker)).toBe(true)
    expect(doubtOf(folder)).toContain("filter.own.clean")
  })

  test("are found in every version of the index", () => {
    for (const version of ["2", "3", "4"]) {
      const folder = repository()
      must(folder, "submodule", "--quiet", "add", template, "some/where/lib")
      for (const name of ["some/a", "some/where/b", "some/z", "zz"]) writeFileSync(join(folder, name), "x")
      must(folder, "add", "-N", ".")
      must(folder, "update-index", "--index-version", version)
      must(join(folder, "some/where/lib"), "config", "core.pager", "x")
      expect(doubtOf(folder)).toContain("core.pager")
    }
  })

  test("are found in a split index, and with other names for objects", () => {
    const split = repository()
    must(split, "submodule", "--quiet", "add", template, "lib")
    must(split, "update-index", "--split-index")
    must(join(split, "lib"), "config", "core.pager", "x")
    expect(doubtOf(split)).toContain("core.pager")
    const folder = join(root, "sha256")
    mkdirSync(folder)
    must(folder, "init", "-q", "--object-format=sha256", "-b", "main")
    must(root, "init", "-q", "--object-format=sha256", "-b", "main", join(folder, "lib"))
    must(join(folder, "lib"), "commit", "-qm", "x", "--allow-empty")
    must(folder, "add", "lib")
    expect(doubtOf(folder)).toBeUndefined()
    must(join(folder, "lib"), "config", "core.pager", "x")
    expect(doubtOf(folder)).toContain("core.pager")
  })
})

test("passwords in addresses are noticed", () => {
  const folder = repository()
  must(folder, "remote", "add", "origin", "https://name@example.com/a.git")
  expect(gitFolder(folder, {}, new Set()).holdsCredentials).toBeUndefined()
  must(folder, "remote", "set-url", "origin", "https://name:password@example.com/a.git")
  expect(gitFolder(folder, {}, new Set()).holdsCredentials).toBe(true)
})

test("the index is not written unasked", () => {
  const folder = repository()
  must(folder, "add", ".")
  const index = join(folder, ".git/index")
  const unasked = unaskedEnvironment(childVariables({ inherits: environment() }), {
    gitAttributes: "/dev/null",
    ripgrepConfig: "/dev/null"
  })
  for (const args of [["status"], ["diff"], ["diff", "--stat"], ["stash", "show"], ["describe", "--always"]]) {
    utimesSync(join(folder, "a.txt"), count++, 1)
    const before = readFileSync(index)
    git(folder, args, unasked)
    expect([args, readFileSync(index).equals(before)]).toEqual([args, true])
  }
  git(folder, ["diff"])
  utimesSync(join(folder, "a.txt"), 5, 5)
  const before = readFileSync(index)
  git(folder, ["diff"])
  expect(readFileSync(index).equals(before)).toBe(false)
})

test("nothing is fetched unasked", () => {
  const folder = repository()
  must(template, "config", "uploadpack.allowFilter", "true")
  const partial = join(root, "partial")
  must(root, "clone", "-q", "--no-local", "--filter=blob:none", "--no-checkout", `file://${template}`, partial)
  const missing = "show HEAD:a.txt".split(" ")
  const unasked = git(
    partial,
    missing,
    unaskedEnvironment(childVariables({ inherits: environment() }), {
      gitAttributes: "/dev/null",
      ripgrepConfig: "/dev/null"
    })
  )
  expect(unasked.code).not.toBe(0)
  expect(git(partial, missing)).toMatchObject({ code: 0, text: "two\n" })
  expect(doubtOf(folder)).toBeUndefined()
})
