/** Calls of git as people write them, and those that only look like them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { blockedSegment, isInside } from "../../../../files/containment.ts"
import { kernelPath } from "../../../../files/real-path.ts"
import { holdsClosedNames } from "../../../fixed-context.ts"
import { gitFolder } from "../../git-repository.ts"
import { doubtLeft } from "../../permission.ts"
import { readLine } from "../../read-line.ts"
import type { ReadingPlace } from "../../reading.ts"
import { SUBCOMMAND_NAMES } from "./git.ts"

let root = ""
const variables = { PATH: "/usr/local/bin:/usr/bin:/bin" }

beforeAll(() => {
  root = kernelPath("/", mkdtempSync(join(tmpdir(), "git-calls-"))) ?? ""
  mkdirSync(join(root, "work/src"), { recursive: true })
  mkdirSync(join(root, "work/plain"))
  mkdirSync(join(root, "work/evil/objects"), { recursive: true })
  writeFileSync(join(root, "work/evil/HEAD"), "ref: refs/heads/main\n")
  Bun.spawnSync(["git", "init", "-q", join(root, "work")])
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const place = (): ReadingPlace => ({
  folder: join(root, "work"),
  home: join(root, "home"),
  variables,
  dialect: "bash",
  isReadable: (real) => isInside(join(root, "work"), real) && blockedSegment(real.slice(root.length), "read") === null,
  holdsClosed: holdsClosedNames,
  programOrigin: () => "system",
  gitFolder: (folder) => gitFolder(folder, variables, SUBCOMMAND_NAMES)
})

const commandsOf = (line: string) => {
  const read = readLine(line, place())
  return read._tag === "Understood" ? read.commands : []
}

const whysOf = (line: string): ReadonlyArray<string> => {
  const commands = commandsOf(line)
  return commands.length === 0 ? ["not plain"] : commands.flatMap(({ doubts }) => doubts.map(({ why }) => why))
}

/** Whether a rule on these words lets the line run. */
const isPermitted = (prefix: string, line: string): boolean => {
  const commands = commandsOf(line)
  return (
    commands.length > 0 &&
    commands.every((command) => doubtLeft({ commandPrefix: prefix.split(" ") }, command) === undefined)
  )
}

describe("reading", () => {
  const lines = [
    ...["git status", "git status -sb", "git status --porcelain=v2 -uno", "git --no-pager status", "git -P log"],
    ...[
      "git log",
      "git log --oneline -5",
      "git log -n 5 --graph --all",
      "git log -p -- src",
      "git log --follow src/a.ts"
    ],
    ...["git log --format='%h %s' main..HEAD", "git log --since='2 weeks ago' --author=me", "git log -S'text' -G text"],
    ...[
      "git log -L1,5:src/a.ts",
      "git log --stat -M90%",
      "git log --grep 'fix: a' -i",
      "git log @{u}..",
      "git log -- '*.ts'"
    ],
    ...["git diff", "git diff HEAD~3", "git diff --cached --stat", "git diff main...HEAD -- src", "git diff -U0 -w"],
    ...["git diff ':(exclude)src' .", "git diff --name-only --diff-filter=ACM", "git diff -- ':!src'"],
    ...[
      "git show",
      "git show HEAD:src/a.ts",
      "git show HEAD~2 --stat",
      "git show --format=%B -s",
      "git show v1.0^{commit}"
    ],
    ...["git branch", "git branch -a", "git branch -vv", "git branch --list 'feat/*'", "git branch --show-current"],
    ...[
      "git branch --merged",
      "git branch --merged main",
      "git branch --contains HEAD -r",
      "git tag",
      "git tag -l 'v*'"
    ],
    ...["git tag -n3", "git tag --points-at HEAD", "git tag --sort=-creatordate --contains HEAD"],
    ...["git remote", "git remote -v", "git remote get-url origin", "git remote show -n origin"],
    ...[
      "git rev-parse HEAD",
      "git rev-parse --show-toplevel",
      "git rev-parse --abbrev-ref HEAD",
      "git rev-list --count HEAD"
    ],
    ...["git ls-files", "git ls-files -o --exclude-standard", "git ls-files '*.ts'", "git ls-tree -r --name-only HEAD"],
    ...[
      "git cat-file -p HEAD",
      "git cat-file -t HEAD:src",
      "git blame src/a.ts",
      "git blame -L 1,10 -w HEAD -- src/a.ts"
    ],
    ...["git shortlog -sn", "git describe --tags --always", "git name-rev HEAD", "git merge-base main HEAD"],
    ...[
      "git grep text",
      "git grep -n -e a --and -e b -- src",
      "git grep -il text HEAD -- '*.ts'",
      "git grep -c text main"
    ],
    ...[
      "git reflog",
      "git reflog -5",
      "git reflog show main",
      "git reflog HEAD",
      "git stash list",
      "git stash show -p"
    ],
    ...["git config user.name", "git config --get remote.origin.url", "git config --get-all branch.main.merge"],
    ...["git worktree list", "git worktree list --porcelain", "git count-objects -vH", "git diff-tree -r HEAD"],
    ...["git for-each-ref --format='%(refname)' refs/heads", "git show-ref --heads", "git symbolic-ref --short HEAD"],
    ...[
      "git whatchanged -3",
      "git range-diff a...b",
      "git cherry -v main",
      "git check-ignore -v src",
      "git notes list"
    ],
    ...["git notes show HEAD", "git check-attr -a src/a.ts", "git version", "git --version", "git -C src status"],
    ...[
      "git -C src -C .. log",
      "git -c color.ui=always diff",
      "git -c core.quotepath=off status",
      "cd src && git status"
    ],
    ...["git diff --no-index src/a src/b", "git apply --stat a.patch", "git ls-remote --get-url"]
  ]
  for (const line of lines) test(line, () => expect([line, whysOf(line)]).toEqual([line, []]))
})

describe("more than reading", () => {
  const lines = [
    ...["git log --output=x", "git log --output x", "git diff --outpu=x", "git log --ext-diff", "git show --textconv"],
    ...["git log --format=%G?", "git log --pretty=format:%h%GS", "git log --show-signature", "git log --remerge-diff"],
    ...["git log --diff-merges=remerge", "git tag --format='%(signature)'", "git tag -v v1", "git show HEAD:.env"],
    ...["git show :.env", "git show HEAD:src/.env", "git show :0:.env", "git cat-file blob HEAD:.git/config"],
    ...["git diff /etc/passwd /etc/hosts", "git diff --no-index /etc/passwd x", "git log -- ../../x", "git diff ../.."],
    ...[
      "git grep -O text",
      "git grep --open-files-in-pager=vi text",
      "git grep --untracked text",
      "git grep --no-index text"
    ],
    ...["git grep -f /etc/passwd text", "git blame --contents /etc/passwd src/a.ts", "git ls-files -X /etc/passwd"],
    ...["git cat-file --textconv HEAD:a", "git cat-file --filters HEAD:a", "git cat-file --batch-all-objects --batch"],
    ...[
      "git branch new",
      "git branch -v new",
      "git branch -d old",
      "git branch -m new",
      "git branch --track new origin/new"
    ],
    ...["git branch --edit-description", "git tag v1", "git tag -d v1", "git remote add a https://example.com/a"],
    ...[
      "git remote show origin",
      "git remote update",
      "git stash",
      "git stash -u",
      "git stash pop",
      "git stash -- list"
    ],
    ...[
      "git reflog expire --all",
      "git symbolic-ref HEAD refs/heads/x",
      "git symbolic-ref -d HEAD",
      "git notes add -m x"
    ],
    ...["git config --list", "git config -l", "git config user.name me", "git config --get http.extraheader"],
    ...[
      "git config --get-regexp .",
      "git config core.pager x",
      "git config -f /etc/passwd --get user.name",
      "git config -e"
    ],
    ...[
      "git -c core.pager=x log",
      "git -c core.fsmonitor=x status",
      "git -ccore.pager=x log",
      "git --git-dir=evil status"
    ],
    ...[
      "git --git-dir evil status",
      "git --work-tree=/ diff",
      "git --exec-path=. status",
      "git -p log",
      "git --paginate log"
    ],
    ...["git --config-env=core.pager=X log", "git -C /etc status", "git -C evil status", "cd evil && git status"],
    ...["git -C evil/objects log", "git --bare log", "git log --help", "git help log", "git whatever", "git -- status"],
    ...["git ls-remote", "git fetch", "git pull", "git commit -m x", "git add .", "git checkout main", "git push"],
    ...[
      "git submodule status",
      "git submodule foreach ls",
      "git bisect log",
      "git bisect run ls",
      "git difftool",
      "git filter-branch"
    ],
    ...[
      "git var -l",
      "git archive HEAD",
      "git verify-commit HEAD",
      "git gc",
      "git diff --submodule=diff",
      "git log $x"
    ],
    ...["git worktree add ../x", "git apply a.patch", "git apply --stat --apply a.patch"],
    "cd plain && git -C ../../.. status"
  ]
  for (const line of lines) test(line, () => expect([line, whysOf(line).length]).not.toEqual([line, 0]))
})

describe("by rule", () => {
  const permitted: ReadonlyArray<readonly [rule: string, line: string]> = [
    ["git log", "git log -p"],
    ["git log", "git --no-pager log"],
    ["git", "git commit -am 'a message'"],
    ["git commit", "git commit --amend --no-edit"],
    ["git add", "git add -A ."],
    ["git push", "git push -u origin main"],
    ["git push", "git push --force-with-lease"],
    ["git pull", "git pull --rebase"],
    ["git fetch", "git fetch --all --prune"],
    ["git clone", "git clone --depth 1 https://example.com/a.git"],
    ["git clone", "git clone git@example.com:a/b.git there"],
    ["git checkout", "git checkout -b new"],
    ["git switch", "git switch -c new"],
    ["git restore", "git restore --staged ."],
    ["git merge", "git merge --no-ff other"],
    ["git rebase", "git rebase main"],
    ["git stash", "git stash push -m x"],
    ["git stash", "git stash -u"],
    ["git tag", "git tag -a v1 -m v1"],
    ["git branch", "git branch -D old"],
    ["git reset", "git reset --hard HEAD~1"],
    ["git remote", "git remote add up https://example.com/a.git"],
    ["git config", "git config user.email a@example.com"],
    ["git config", "git config --list"],
    ["git submodule", "git submodule update --init --recursive"],
    ["git worktree", "git worktree add ../other -b new"],
    ["git", "git mv a b"],
    ["git", "git init -b main"]
  ]
  for (const [rule, line] of permitted) {
    test(`(${rule}) permits ${line}`, () => expect([line, isPermitted(rule, line)]).toEqual([line, true]))
  }

  const asked: ReadonlyArray<readonly [rule: string, line: string]> = [
    ["git log", "git log --output=x"],
    ["git log", "git log --format=%GG"],
    ["git", "git --git-dir=evil status"],
    ["git", "git -C evil status"],
    ["git", "cd evil && git commit -m x"],
    ["git", "git -c core.pager=x log"],
    ["git", "git unheard-of"],
    ["git", "git filter-branch --tree-filter ls"],
    ["git", "git difftool -x ls"],
    ["git", "git config core.pager ls"],
    ["git", "git config --rename-section a alias"],
    ["git", "git config --global alias.x '!ls'"],
    ["git", "git config --add core.sshCommand ls"],
    ["git", "git config -f .git/config user.name x"],
    ["git", "git config set core.editor ls"],
    ["git clone", "git clone --template=evil https://example.com/a"],
    ["git clone", "git clone -c core.pager=ls https://example.com/a"],
    ["git clone", "git clone -u ls https://example.com/a"],
    ["git clone", "git clone 'ext::sh -c ls' x"],
    ["git init", "git init --template evil"],
    ["git fetch", "git fetch --upload-pack=ls origin"],
    ["git fetch", "git fetch ext::ls"],
    ["git push", "git push --receive-pack=ls origin"],
    ["git push", "git push --exec=ls origin"],
    ["git push", "git push ./evil main"],
    ["git push", "git push file:///tmp/evil main"],
    ["git remote", "git remote add x ./evil"],
    ["git remote", "git remote add x ext::ls"],
    ["git rebase", "git rebase -x ls main"],
    ["git rebase", "git rebase --exec ls main"],
    ["git merge", "git merge -s evil main"],
    ["git grep", "git grep -Ols text"],
    ["git bisect", "git bisect run ls"],
    ["git submodule", "git submodule foreach ls"],
    ["git archive", "git archive --format=tar.evil HEAD"],
    ["git archive", "git archive --remote=x --exec=ls HEAD"]
  ]
  for (const [rule, line] of asked) {
    test(`(${rule}) asks for ${line}`, () => expect([line, isPermitted(rule, line)]).toEqual([line, false]))
  }
})

test("outside of a repository two paths are compared with all below them", () => {
  const outside = { ...place(), folder: join(root, "work/src"), gitFolder: () => ({ isFound: false }) }
  const read = readLine("git diff a b", outside)
  expect(read._tag === "Understood" && read.commands[0]?.doubts.map(({ kind }) => kind)).toEqual(["argument"])
})
