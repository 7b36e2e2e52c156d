/**
 * A throw-away root with a workspace that lies in wait: programs and links that a repository may ship, repositories whose
 * configuration runs programs, names that look like options, files that may not be read, and secrets outside.
 */
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { PowerFacts } from "../../../src/policy/power.ts"
import { NO_POWER_SURROUNDINGS, powerFacts } from "../../../src/policy/power-facts.ts"
import { GIT_ATTRIBUTES, RIPGREP_CONFIG } from "../../../src/shell/unasked-environment.ts"
import { runQuietly } from "../run-quietly.ts"

export interface HostileTree {
  readonly root: string
  /** The only workspace folder; the rest of the root is outside. */
  readonly work: string
  readonly home: string
  /** What the product gives to ripgrep and git that run unasked. */
  readonly ripgrepConfig: string
  readonly gitAttributes: string
  readonly powerFacts: PowerFacts
}

/** No line that runs unasked prints any of them. */
export const SECRETS = {
  "a variable": "token-7f3a9c51",
  "a file outside": "private-51d2e880",
  "a closed file": "closed-88e1a07b"
}

/** `root`: an empty folder. */
export const growTree = async (root: string): Promise<HostileTree> => {
  const real = realpathSync(root)
  const [work, home, ripgrepConfig] = [join(real, "work"), join(real, "home"), join(real, "ripgreprc")]
  const gitAttributes = join(real, "gitattributes")
  put(ripgrepConfig, RIPGREP_CONFIG)
  put(gitAttributes, GIT_ATTRIBUTES)
  for (const [path, text] of Object.entries(FILES)) put(join(real, path), text)
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(real, path))
  for (const path of PROGRAMS) {
    put(join(work, path), "#!/bin/sh\necho taken >>MARK\n")
    chmodSync(join(work, path), 0o755)
  }
  await growRepositories(work)
  const facts = powerFacts({ ...NO_POWER_SURROUNDINGS, home }, [work])
  return { root: real, work, home, gitAttributes, ripgrepConfig, powerFacts: facts }
}

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const FILES: Readonly<Record<string, string>> = {
  "work/a.txt": "needle\nb\na\n10 x\n9 y\n",
  "work/b.txt": "one two\nneedle\n",
  "work/README.md": "# Title\n\n- [x] done\n",
  "work/package.json": '{ "name": "it", "version": "1.0.0", "scripts": { "test": "tee MARK" } }\n',
  "work/data.json": '{ "a": [1, 2, { "b": "c" }], "path": "../secret" }\n',
  "work/table.csv": "id,name\n1,a\n2,b\n",
  "work/src/b.ts": "export const b = 1 // needle\n",
  "work/src/c.ts": 'import { b } from "./b.ts"\nexport const c = b\n',
  "work/src/deep/d.ts": "export {}\n",
  "work/tidy/one.log": "1\n",
  "work/tidy/two.log": "2\n",
  "work/names/-exec": "x\n",
  "work/names/-o": "x\n",
  "work/names/--pre=sh": "x\n",
  "work/names/a": "x\n",
  "work/names/new\nline": "x\n",
  "work/names/sp ace": "x\n",
  "work/x -delete/e": "x\n",
  "work/.env": `KEY=${SECRETS["a closed file"]}\n`,
  "work/app/.env": `KEY=${SECRETS["a closed file"]}\n`,
  "work/app/main.py": "import os\n",
  "work/list": "../secret\0/etc/hostname\0",
  "work/lines": "../secret\n/etc/hostname\n--help\n",
  "work/run.sed": "1e tee MARK\nw MARK\n",
  "work/run.awk": 'BEGIN { system("tee MARK") }\n',
  "work/run.jq": 'include "x"; .\n',
  "work/run.sh": "tee MARK\n",
  "work/.bashrc": "tee MARK\n",
  "work/.profile": "tee MARK\n",
  "work/.ripgreprc": "--pre=./ls\n",
  "work/.gemini/settings.json": "{}\n",
  "work/diff.patch": "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-needle\n+thread\n",
  "home/.ssh/id_rsa": `${SECRETS["a file outside"]}\n`,
  "home/.bashrc": "export FROM_HOME=1\n",
  "home/.gitconfig": "[user]\n\tname = me\n\temail = me@example.com\n",
  "elsewhere/secret.txt": `${SECRETS["a file outside"]}\n`,
  secret: `${SECRETS["a file outside"]}\n`
}

const LINKS: Readonly<Record<string, string>> = {
  "work/l": ".",
  "work/deep": "src/deep",
  "work/out": "../elsewhere",
  "work/private": "../secret",
  "work/loop": "loop",
  "work/absent": "../MARK",
  "work/etc": "/etc",
  "work/src/out": "../../elsewhere",
  "work/tidy/self": "."
}

/** Programs that the repository brings along, under the names of those of the system and of the shell. */
const PROGRAMS: ReadonlyArray<string> = [
  ...["bash", "sh", "env", "timeout", "ls", "rg", "git", "cat", "find", "nice", "xargs"],
  ...[
    "bin/setsid",
    "bin/rg",
    "bin/cd",
    "bin/set",
    "bin/echo",
    "bin/test",
    "bin/command",
    "bin/pwd",
    "bin/cat",
    "bin/jq"
  ],
  ...["bin/only-here", "src/ls"]
]

/**
 * Every setting with which a repository can have programs run; each leaves a mark. Not with the program that a rule denies:
 * what a project configures is not in the line, where the rule looks for it.
 */
const HOSTILE_CONFIG = `[core]
\trepositoryformatversion = 0
\tfsmonitor = tee MARK
\tpager = tee MARK
\tsshCommand = tee MARK
\thooksPath = .
\teditor = tee MARK
\taskPass = tee MARK
[diff]
\texternal = tee MARK
[diff "evil"]
\ttextconv = tee MARK; cat
\tcommand = tee MARK
[gpg]
\tprogram = tee MARK
[log]
\tshowSignature = true
[alias]
\tstatus = !tee MARK
\tx = !tee MARK
[filter "evil"]
\tclean = tee MARK
\tsmudge = tee MARK
\tprocess = tee MARK
[pager]
\tlog = tee MARK
[uploadpack]
\tpackObjectsHook = tee MARK
[credential]
\thelper = !tee MARK
[include]
\tpath = ../../secret
`

const git = (folder: string, words: string): Promise<string> =>
  runQuietly(["git", "-c", "user.name=me", "-c", "user.email=me@example.com", ...words.split(" ")], {
    cwd: folder,
    env: GIT_VARIABLES
  })

const GIT_VARIABLES = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z"
}

const growRepositories = async (work: string): Promise<void> => {
  // One that is as it should be, around everything.
  await git(work, "init -q -b main --template=")
  await git(work, "add -- a.txt b.txt src README.md")
  await git(work, "commit -q -m first")
  put(join(work, "b.txt"), "one two\nneedle\nthree\n")
  await git(work, "commit -q -a -m second")
  await git(work, "repack -q -a -d")
  put(join(work, "a.txt"), "needle\nb\nchanged\n")
  // A folder that is a repository by itself, as a clone can bring it.
  await git(work, "clone -q --bare --template= . evil")
  put(join(work, "evil/config"), `${HOSTILE_CONFIG}[core]\n\tbare = false\n\tworktree = .\n`)
  // One with a work tree, attributes that name its filters, and hooks.
  await git(work, "clone -q --template= . sub")
  put(join(work, "sub/.git/config"), HOSTILE_CONFIG)
  put(join(work, "sub/.gitattributes"), "* diff=evil filter=evil\n")
  put(join(work, "sub/a.txt"), "changed\n")
  for (const hook of ["pre-commit", "post-checkout", "fsmonitor-watchman", "post-index-change"]) {
    const file = join(work, "sub/.git/hooks", hook)
    put(file, "#!/bin/sh\ntee MARK\n")
    chmodSync(file, 0o755)
  }
  // One that points elsewhere.
  put(join(work, "linked/.git"), "gitdir: ../evil\n")
  put(join(work, "linked/a.txt"), "changed\n")
  await growStrays(work)
  await growClosed(work)
}

/** Repositories that track what may not be read; attributes of one say that it is shown. */
const growClosed = async (work: string): Promise<void> => {
  for (const name of ["hidden", "shown"]) {
    const folder = join(work, "closed", name)
    await git(work, `clone -q --template= --no-hardlinks . closed/${name}`)
    put(join(folder, ".env"), `KEY=${SECRETS["a closed file"]}\n`)
    put(join(folder, "app/.env/key"), `KEY=${SECRETS["a closed file"]}\n`)
    if (name === "shown") put(join(folder, ".gitattributes"), "* text=auto\n.env diff\n")
    await git(folder, "add -f -- .env app")
    await git(folder, "commit -q -m third")
    put(join(folder, ".env"), `KEY=${SECRETS["a closed file"]}2\n`)
  }
}

/** Repositories whose own folder leads out of them, as an archive can bring them. */
const growStrays = async (work: string): Promise<void> => {
  await git(work, "clone -q --template= --no-hardlinks . strays/common")
  put(join(work, "strays/common/.git/commondir"), "../../../sub/.git\n")
  put(join(work, "strays/common/.gitattributes"), "* diff=evil filter=evil\n")
  await git(work, "clone -q --template= --no-hardlinks . strays/todo")
  put(join(work, "strays/todo/.git/rebase-merge/interactive"), "")
  put(join(work, "strays/todo/.git/rebase-merge/head-name"), "refs/heads/main\n")
  put(join(work, "strays/todo/.git/rebase-merge/onto"), "HEAD\n")
  mkdirSync(join(work, "strays/todo/.git/info"))
  for (const name of ["rebase-merge/done", "rebase-merge/git-rebase-todo", "info/exclude"])
    symlinkSync(join(work, "../secret"), join(work, "strays/todo/.git", name))
  // An index that names a file behind a link.
  await git(work, "clone -q --template= --no-hardlinks . strays/index")
  rmSync(join(work, "strays/index/src"), { recursive: true })
  symlinkSync(join(work, "../elsewhere"), join(work, "strays/index/src"))
  put(join(work, "../elsewhere/b.ts"), `needle ${SECRETS["a file outside"]}\n`)
}
