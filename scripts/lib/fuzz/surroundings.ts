/** The decision of the product on a line, in each of the surroundings that the fuzzer looks at. */
import { kernelPath } from "../../../src/files/real-path.ts"
import { decide } from "../../../src/policy/decide.ts"
import { type Decision, type DecisionContext, SHELL_TOOL } from "../../../src/policy/decision.ts"
import { defaultRules } from "../../../src/policy/default-rules.ts"
import { holdsClosedNames } from "../../../src/policy/fixed-context.ts"
import { readingPlace, readLine } from "../../../src/policy/reading/read-line.ts"
import { inOrder, type PolicyRule, rankOf } from "../../../src/policy/rule.ts"
import { analyze } from "../../../src/shell/analysis/analyze.ts"
import { loadParser } from "../../../src/shell/analysis/bash-grammar.live.ts"
import { childEnvironment } from "../../../src/shell/child-environment.ts"
import { unaskedEnvironment } from "../../../src/shell/unasked-environment.ts"
import type { ChildVariables } from "../../../src/system/child-variables.ts"
import type { Permitted } from "./faults.ts"
import { type HostileTree, SECRETS } from "./hostile-tree.ts"

export interface Surroundings {
  readonly name: string
  readonly mode: DecisionContext["mode"]
  readonly rules: ReadonlyArray<PolicyRule>
  readonly permitted: Permitted
  /** Which of the lines that are allowed are run; absent: all. The rest would only cost time. */
  readonly isWorthRunning?: (line: string, index: number) => boolean
}

const rule = (decision: PolicyRule["decision"], words: string): PolicyRule => ({
  toolName: SHELL_TOOL,
  commandPrefix: words.split(" "),
  decision,
  rank: rankOf("user", 100),
  tier: "user",
  source: "fuzz"
})

const allowing = (...commands: ReadonlyArray<string>): ReadonlyArray<PolicyRule> =>
  commands.map((words) => rule("allow", words))

const reading: Permitted = { readsInsideOnly: true, writes: "nothing", startsKnownOnly: true, connects: false }

export const DENIED = "touch"

const READERS = [
  "git log",
  "git show",
  "git diff",
  "git status",
  "rg",
  "sed -n",
  "find",
  "sort",
  "awk",
  "jq",
  "grep",
  "cat",
  "diff"
]
const WRITERS = ["tar", "sed", "git add", "git config", "git clone", "mkdir", "cp", "xargs"]

const programsIn = (commands: ReadonlyArray<string>): ReadonlyArray<string> =>
  commands.map((words) => words.split(" ")[0] ?? "")

/** The strictest first: a line that is allowed in one is not run again in the next. */
export const SURROUNDINGS: ReadonlyArray<Surroundings> = [
  { name: "default", mode: "default", rules: [], permitted: reading },
  { name: "auto_edit", mode: "auto_edit", rules: [], permitted: { ...reading, writes: "workspace" } },
  {
    // Rules that name what only reads: they open paths, not options.
    name: "named",
    mode: "default",
    rules: allowing(...READERS),
    permitted: { ...reading, readsInsideOnly: false, named: programsIn(READERS) }
  },
  {
    // Rules that name what writes: it may, but start nothing else.
    name: "writing",
    mode: "default",
    rules: allowing(...WRITERS),
    permitted: { ...reading, readsInsideOnly: false, writes: "anything", named: programsIn(WRITERS) }
  },
  {
    name: "guarded",
    mode: "yolo",
    rules: [rule("deny", DENIED)],
    permitted: { readsInsideOnly: false, writes: "anything", startsKnownOnly: false, connects: true, denied: DENIED },
    // The families give the denied program, in whatever spelling, this file.
    isWorthRunning: (line, index) => line.includes("MARK") || index % 40 === 0
  }
]

/** What each of the surroundings says of a line; it is read once for all of them. */
export type JudgeLine = (line: string) => (surroundings: Surroundings) => Decision

/** The environment of a command that a person agreed to. */
const agreedVariables = ({ home, work }: HostileTree): ChildVariables =>
  childEnvironment({
    variables: {
      // A folder of the project stands at the end, as tools for projects put it there.
      PATH: `/usr/local/bin:/usr/bin:/bin:${work}/bin`,
      HOME: home,
      USER: "me",
      LANG: "C",
      TOKEN: SECRETS["a variable"]
    },
    redaction: { enabled: false, allowed: [], blocked: [] },
    pager: "cat",
    lockedGit: undefined,
    mark: "fuzz"
  })

/** What a line gets that the decision calls reading, and one that it does not. */
export const variablesFor = (tree: HostileTree, isReading: boolean): Readonly<Record<string, string>> =>
  isReading ? unaskedEnvironment(agreedVariables(tree), tree) : agreedVariables(tree)

export const lineJudge = async (tree: HostileTree): Promise<JudgeLine> => {
  const parse = await loadParser(() => performance.now())
  const facts = { variables: agreedVariables(tree), dialect: "bash" as const }
  const ordered = new Map(SURROUNDINGS.map((one) => [one, inOrder([...one.rules, ...defaultRules()])]))
  return (line) => {
    const context: DecisionContext = {
      mode: "default",
      isInteractive: true,
      isTrusted: true,
      cwd: tree.work,
      workspaceDirs: [tree.work],
      home: tree.home,
      plansDir: undefined,
      ignoresAlways: false,
      forceAsk: undefined,
      realPath: (path) => kernelPath("/", path),
      holdsClosed: holdsClosedNames,
      powerFacts: () => tree.powerFacts,
      shell: analyze(line, parse),
      reading: undefined
    }
    const reading = readLine(line, readingPlace(tree.work, context, facts))
    const call = { name: SHELL_TOOL, args: { command: line }, kind: "execute" }
    return (surroundings) =>
      decide(ordered.get(surroundings) ?? [], call, { ...context, mode: surroundings.mode, reading })
  }
}
