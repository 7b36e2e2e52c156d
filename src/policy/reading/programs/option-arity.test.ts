/**
 * Whether each option of a table takes the next word, asked of the real program: behind the option stands one that nobody
 * knows. If the program complains about that one as it does when it stands alone, the option has taken nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseCall } from "../parse-call.ts"
import { programTable } from "../program-list.ts"
import type { OptionSpec, ProgramTable } from "../program-table.ts"

const UNHEARD_OF = "--zz-nobody"

interface Probed {
  /** The program and the words before its options. */
  readonly words: ReadonlyArray<string>
  readonly table: ProgramTable
}

const subcommandsOf = (words: ReadonlyArray<string>, table: ProgramTable): ReadonlyArray<Probed> => [
  ...(table.withoutSubcommand === undefined ? [] : [{ words, table: table.withoutSubcommand }]),
  ...(table.subcommands === undefined
    ? [{ words, table }]
    : Object.entries(table.subcommands).flatMap(([name, sub]) => subcommandsOf([...words, name], sub)))
]

/** They hand their options on, print unknown ones, or are scripts that read them one by one. */
const OWN_WAYS =
  /^git (?:rev-parse|submodule|bisect|reflog drop|reflog list|notes|stash list|stash show|stash create)\b/
/** Without a commit they only say how they are used, whatever else is wrong. */
const NEEDS_COMMIT = /^git (?:rev-list|diff-tree|diff-index|cherry-pick|revert)\b/
/** They have no meaning without others, and that is said first. */
const DEPENDENT = /^--(?:ancestry-path|combined-all-paths|merge)$/
const git = programTable("git")
const PROBED: ReadonlyArray<Probed> =
  git === undefined ? [] : subcommandsOf(["git"], git).filter(({ words }) => !OWN_WAYS.test(words.join(" ")))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "option-arity-"))
  mkdirSync(join(folder, "home"))
  writeFileSync(join(folder, "a.txt"), "one\n")
  for (const words of ["init -q", "add .", "commit -qm one"]) run(["git", ...words.split(" ")])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = (): Record<string, string> => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: join(folder, "home"),
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "true",
  GIT_PAGER: "cat",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com"
})

const run = (given: ReadonlyArray<string>): string => {
  const words = NEEDS_COMMIT.test(given.join(" ")) ? [...given, "HEAD"] : given
  const ended = Bun.spawnSync([...words], { cwd: folder, env: environment(), stdin: "ignore", timeout: 5000 })
  return `${ended.stderr.toString()}\n${ended.stdout.toString()}`
}

/** The line in which a program says that it does not know an option; some only say how they are used. */
const complaintOf = (words: ReadonlyArray<string>): string | undefined => {
  const lines = run([...words, UNHEARD_OF]).split("\n")
  return lines.find((line) => line.includes(UNHEARD_OF.slice(2))) ?? lines.find((line) => line.startsWith("usage: "))
}

const refusesValue = (words: ReadonlyArray<string>, name: string): boolean =>
  /takes no value|unrecognized|unknown|doesn't allow|invalid option/.test(run([...words, `${name}=zz`]))

const takesWord = ({ takes }: OptionSpec): boolean => takes === "value" || takes === "next" || takes === "maybe"

describe("the real programs agree", () => {
  for (const { table, words } of PROBED) {
    const shown = words.join(" ")
    test(shown, () => {
      if (!existsSync(`/usr/bin/${words[0]}`)) return
      const complaint = complaintOf(words)
      expect([shown, complaint]).not.toEqual([shown, undefined])
      if (complaint === undefined) return
      const wrong = Object.entries(table.options).flatMap(([name, spec]) => {
        if (spec.takes === 2 || spec.takes === "command" || DEPENDENT.test(name)) return []
        const output = run([...words, name, UNHEARD_OF])
        const others = output.replaceAll(complaint, "")
        // Options of other versions are no danger: the program ends there.
        if (/unknown (?:switch|option)|unrecognized|invalid option/.test(others)) return []
        if (output.includes(complaint) !== takesWord(spec)) return []
        // It may have found another fault first; then it should at least refuse a value.
        return !takesWord(spec) && refusesValue(words, name) ? [] : [`${name} takes ${spec.takes}`]
      })
      expect([shown, wrong]).toEqual([shown, []])
    })
  }
})

test("an option in a table is read as it is listed", () => {
  for (const { table } of PROBED) {
    for (const [name, spec] of Object.entries(table.options)) {
      if (spec.takes !== "value" || spec.only !== undefined) continue
      const read = parseCall(
        table,
        [name, "x"].map((text) => ({ text, isExact: true }))
      )
      expect([name, "refusal" in read ? read.refusal : read.options.at(-1)?.value?.text]).toEqual([name, "x"])
    }
  }
})
