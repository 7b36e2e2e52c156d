/**
 * The tables of programs against the programs: every option is there, takes what the table says that it takes, and does
 * no more than read where that is what the table says.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PROGRAMS } from "../src/policy/reading/program-list.ts"
import type { OptionSpec, ProgramTable } from "../src/policy/reading/program-table.ts"
import { optionsInHelp } from "./kit/program-help.ts"
import type { ProgramSample, ProgramSuite } from "./kit/program-sample.ts"
import { SUITES } from "./kit/program-samples.ts"
import { canTrace, type ProgramRun, runAll, SYSTEM_PATH, strayed, type TracedPlace } from "./kit/traced-program.ts"

/** On the build machine nothing may be left out. */
const skipsNothing = process.env.GEMINI_TESTS_SKIP_NOTHING === "1"
const isThere = (name: string): boolean => Bun.which(name, { PATH: SYSTEM_PATH }) !== null

interface Compared {
  readonly name: string
  readonly sample: ProgramSample
  readonly suite: ProgramSuite
  readonly table: ProgramTable
}

const TABLES = new Map(PROGRAMS.map((table) => [table.name, table]))
const compared: ReadonlyArray<Compared> = SUITES.flatMap((suite) =>
  Object.entries(suite.programs).flatMap(([name, sample]) => {
    const table = TABLES.get(name)
    return table === undefined ? [] : [{ name, sample, suite, table }]
  })
)

/** The shell has them itself, or runs what they are given: their words are judged one by one. */
const NOT_COMPARED = new Set(["bash", "sh"])

test("every table that is no builtin is compared with its program", () => {
  const sampled = new Set(SUITES.flatMap(({ programs }) => Object.keys(programs)))
  const names = PROGRAMS.flatMap(({ isBuiltin, name }) => (isBuiltin === true || NOT_COMPARED.has(name) ? [] : [name]))
  expect(names.filter((name) => !sampled.has(name))).toEqual([])
  expect([...sampled].filter((name) => !TABLES.has(name))).toEqual([])
})

test("what the comparison needs is installed where nothing may be left out", () => {
  const missing = compared.flatMap(({ name, suite }) => (suite.isRare === true || isThere(name) ? [] : [name]))
  if (skipsNothing) expect({ missing, canTrace }).toEqual({ missing: [], canTrace: true })
})

let place: TracedPlace

beforeAll(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "program-tables-")))
  place = { tree: join(root, "tree"), home: join(root, "home"), root }
  mkdirSync(join(place.tree, "sub"), { recursive: true })
  mkdirSync(place.home)
  const write = (name: string, text: string) => writeFileSync(join(place.tree, name), text)
  write("lines.txt", "1 a\n2 b\n3 c\n")
  write("more.txt", "1 x\n2 y\n3 z\n")
  write("pairs.txt", "a b\nb c\n")
  write("ids.txt", "1\n")
  write("encoded.txt", "AAAAAAAA\n")
  write("dates.txt", "yesterday\n")
  write("format.txt", '"%c"\n')
  write("dump.txt", "00000000: 6162 0a\n")
  write("change.diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
  write("sub/inner.txt", "inner\n")
  symlinkSync("lines.txt", join(place.tree, "link"))
  copyFileSync("/usr/bin/env", join(place.tree, "a.out"))
  mkdirSync(join(place.tree, "repo"))
  write("repo/a.txt", "one\n")
  for (const words of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-qm", "one"]
  ]) {
    const made = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      cwd: join(place.tree, "repo"),
      env: { PATH: SYSTEM_PATH, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" }
    })
    expect(made.exitCode).toBe(0)
  }
})

afterAll(() => rmSync(place.root, { recursive: true, force: true }))

const words = (text: string | undefined): ReadonlyArray<string> => (text ?? "").split(" ").filter((word) => word !== "")

const said = async (...call: ReadonlyArray<string>): Promise<string> => {
  const [run] = await runAll([call], place, { isTraced: false })
  return run === undefined ? "" : run.stdout + run.stderr
}

/** Whether the tables were made by this very release; another one may know more or less, and the table then asks more. */
const isReviewed = async ({ name, suite }: Compared): Promise<boolean> =>
  suite.release !== "" && (await said(name, suite.asks ?? "--version")).includes(suite.release)

const hasOptions = ({ sample }: Compared): boolean => sample.lines === undefined || sample.operands !== undefined

test.skipIf(!canTrace)("the trace tells reading from everything else", async () => {
  const calls = [
    ["cat", "lines.txt", "sub/inner.txt"],
    ["sort", "-o", "out.txt", "lines.txt"],
    ["cat", "/etc/hostname"],
    ["cat", "../home/secret"],
    ["env", "true"],
    ["touch", "-r", "more.txt", "lines.txt"],
    ["mkdir", "made"],
    ["ln", "-s", "lines.txt", "made/link"],
    ["rm", "-r", "made"],
    ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9"]
  ]
  const runs = await runAll(calls, place, { isTraced: true })
  const seen = runs.map((run) => [run.call.join(" "), strayed(run, place, {}).length > 0])
  expect(seen).toEqual(calls.map((call, index) => [call.join(" "), index > 0]))
})

describe.each(compared.map((one) => [one.name, one] as const))("%s", (name, one) => {
  const { sample, table } = one
  const isMissing = !isThere(name)

  test.skipIf(isMissing || sample.help === "none" || !hasOptions(one))(
    `${name} lists the options of its table`,
    async () => {
      const help = optionsInHelp(await said(name, sample.help ?? "--help"))
      const left = new Set(Object.values(sample.unlisted ?? {}).flatMap(words))
      const shy = new Set(words(sample.undocumented))
      const inTable = new Set(Object.keys(table.options))
      const facts = {
        unlistedWithoutReason: [...help].filter((option) => !inTable.has(option) && !left.has(option)),
        neitherInHelpNorNoted: [...inTable].filter((option) => !help.has(option) && !shy.has(option)),
        listedAndLeftOut: [...inTable].filter((option) => left.has(option))
      }
      const expected = (await isReviewed(one))
        ? { unlistedWithoutReason: [], neitherInHelpNorNoted: [], listedAndLeftOut: [] }
        : { ...facts, listedAndLeftOut: [] }
      expect(facts).toEqual(expected)
    }
  )

  test.skipIf(isMissing || sample.hasOwnParser === true || Object.keys(table.options).length === 0)(
    `${name} takes as many values as its table says`,
    async () => {
      const options = Object.entries(table.options).filter(([option]) => isTried(option, sample))
      // Some go on for ever without a value; that is answer enough.
      const probes = options.flatMap(([option, { takes }]) => [
        [name, option.startsWith("--") ? `${option}=~` : `${option}~`],
        takes === "nothing" ? ["true"] : ["timeout", "1", name, option]
      ])
      const runs = await runAll(probes, place, { isTraced: false })
      const problems = options.flatMap(([option, spec], index) => {
        const problem = arityProblem(option, spec, runs[2 * index], runs[2 * index + 1])
        return problem === undefined ? [] : [problem]
      })
      const isOtherRelease = problems.length > 0 && !(await isReviewed(one))
      expect(problems.filter((problem) => !isOtherRelease || !NO_SUCH_OPTION.test(problem))).toEqual([])
    }
  )

  test.skipIf(isMissing || !canTrace || table.nature === "writes" || table.wraps !== undefined)(
    `${name} only reads with what its table says is reading`,
    async () => {
      const allowed = { ...sample, ...(table.starts === undefined ? {} : { starts: table.starts }) }
      const calls = callsOf(one).map((words) => [name, ...words])
      const runs = await runAll(calls, place, { input: sample.input ?? "", isTraced: true })
      const isKnownRelease = await isReviewed(one)
      const wrong = runs.flatMap((run) => {
        const isAnswered = (sample.exits ?? [0]).includes(run.exitCode) && !/try '/i.test(run.stderr)
        const isOtherRelease = !isKnownRelease && NO_SUCH_OPTION.test(run.stderr)
        const more = strayed(run, place, allowed)
        return more.length === 0 && (isAnswered || isOtherRelease) && run.trace.length > 0
          ? []
          : [{ call: run.call.join(" "), exitCode: run.exitCode, stderr: run.stderr.slice(0, 300), strayed: more }]
      })
      expect(wrong).toEqual([])
    }
  )
})

const NO_SUCH_OPTION = /unrecognized option|invalid option|unknown option/i
const TAKES_NONE = /doesn't allow an argument/
/** Help, version or a date: it reads no further. */
const SAYS_WHAT_IT_IS = /usage:|\bversion\b|copyright|free software|^\S+ from \S+ |^(?:file-|hostname |2)\d/i
const NEEDS_ONE = /requires an argument/

/** What `getopt` says to a value too many, or to one that is missing. */
const arityProblem = (
  option: string,
  spec: OptionSpec,
  withValue: ProgramRun | undefined,
  alone: ProgramRun | undefined
): string | undefined => {
  const [extra, bare] = [withValue?.stderr ?? "", alone?.stderr ?? ""]
  const isOver = SAYS_WHAT_IT_IS.test(`${withValue?.stdout}${extra}`)
  const isFlag = option.startsWith("--")
    ? TAKES_NONE.test(extra)
    : /invalid option -- '~'/.test(extra) || (spec.takes === "nothing" && isOver)
  const real = isFlag ? "nothing" : NEEDS_ONE.test(bare) ? "value" : "optional"
  if (real === spec.takes) return undefined
  return `${option} takes ${real}, not ${spec.takes}: ${extra.split("\n")[0]} ${bare.split("\n")[0]}`
}

const isTried = (option: string, sample: ProgramSample): boolean => !words(sample.untried).includes(option)

const DEFAULT_VALUES = { file: "lines.txt", names: "lines.txt", tree: "sub" }

/** Each option by itself that only reads, with a value where it takes one, and the calls of the sample. */
const callsOf = ({ sample, table }: Compared): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = (sample.lines ?? []).map(words)
  if (sample.lines !== undefined && sample.operands === undefined) return lines
  const operands = words(sample.operands)
  const options = Object.entries(table.options).flatMap(([option, spec]) => {
    if ((spec.effect ?? "reads") !== "reads" || spec.value === "output" || !isTried(option, sample)) return []
    const rest = [...words(sample.beside?.[option]), ...words(sample.insteadOfOperands?.[option] ?? sample.operands)]
    return spellings(option, spec, sample.values?.[option]).map((spelled) => [...spelled, ...rest])
  })
  return [operands, ...options, ...lines]
}

const spellings = (option: string, spec: OptionSpec, sampled: string | undefined): Array<ReadonlyArray<string>> => {
  const isAttached = option.length % 2 === 0
  const isLong = option.startsWith("--")
  const given = sampled?.replace(/^=/, "")
  const value = given ?? DEFAULT_VALUES[spec.value as keyof typeof DEFAULT_VALUES] ?? "1"
  switch (spec.takes) {
    case "nothing":
      return [[option]]
    case "optional":
      return given === undefined ? [[option]] : [[option], [`${option}${isLong ? "=" : ""}${value}`]]
    default:
      return isLong && isAttached && spec.takes === "value" ? [[`${option}=${value}`]] : [[option, value]]
  }
}
