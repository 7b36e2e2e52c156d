/** What an approval for always covers. */
import { expect } from "bun:test"
import { Effect } from "effect"
import { itWith } from "../../test/kit/it.ts"
import * as ShellAnalyzer from "./analysis/shell-analyzer.ts"
import { alwaysPrefixes, hasRedirection, rootCommandsOf } from "./command-prefix.ts"

const it = itWith(ShellAnalyzer.layer)

const rows: ReadonlyArray<readonly [command: string, roots: ReadonlyArray<string>, prefixes: ReadonlyArray<string>]> = [
  ["git status", ["git"], ["git status"]],
  ["git status --short file", ["git"], ["git status"]],
  ["git push --force", ["git"], ["git push"]],
  ["git stash drop", ["git"], ["git stash drop"]],
  ["git -C dir push", ["git"], ["git -C dir push"]],
  ["git", ["git"], ["git"]],
  ["npm test -- --watch", ["npm"], ["npm test"]],
  ["npm run build", ["npm"], ["npm run build"]],
  ["gh pr list --limit 5", ["gh"], ["gh pr list"]],
  ["gh pr -h", ["gh"], ["gh pr -h"]],
  ["kubectl get pods", ["kubectl"], ["kubectl get"]],
  ["docker compose up -d", ["docker"], ["docker compose up"]],
  ["cargo build", ["cargo"], ["cargo build"]],
  ["rm -rf build", ["rm"], ["rm -rf build"]],
  ["python -m pytest 'a b'", ["python"], ["python -m pytest 'a b'"]],
  ["cat a | grep b | grep c", ["cat", "grep"], ["cat a", "grep b", "grep c"]],
  ["cd x && make all", ["cd", "make"], ["cd x", "make all"]],
  ["rm $FILES", ["rm"], []],
  ["rm *.o", ["rm"], []],
  ["git log $(git merge-base a b)", ["git"], ["git log", "git merge-base"]],
  ["$PROGRAM x", [], []],
  ["echo a; if", ["echo"], []]
]

for (const [command, roots, prefixes] of rows) {
  it.live(`${command} → ${prefixes.join(" | ") || "nothing to remember"}`, () =>
    Effect.gen(function* () {
      const analyzer = yield* ShellAnalyzer.ShellAnalyzer
      const analysis = yield* analyzer.analyze(command)
      expect(alwaysPrefixes(analysis)).toEqual([...prefixes])
      if (roots.length > 0) expect(rootCommandsOf(analysis)).toEqual([...roots])
    })
  )
}

it.live("joining or discarding outputs is no redirection to be asked about", () =>
  Effect.gen(function* () {
    const analyzer = yield* ShellAnalyzer.ShellAnalyzer
    const redirects = (text: string) => Effect.map(analyzer.analyze(text), hasRedirection)
    expect(yield* redirects("make 2>&1 >/dev/null")).toBe(false)
    expect(yield* redirects("make > log")).toBe(true)
  })
)
