/** For tests only: surroundings of a decision in which nothing is special, and rules in short form. */
import type { DecisionContext } from "./decision.ts"
import { readingPlace, readLine } from "./reading/read-line.ts"
import { type PolicyRule, rankOf } from "./rule.ts"

/** Paths are taken as they are, so no files are needed. */
export const plainContext: DecisionContext = {
  mode: "default",
  isInteractive: true,
  isTrusted: true,
  cwd: "/work",
  workspaceDirs: ["/work"],
  home: "/home/me",
  plansDir: "/plans",
  ignoresAlways: false,
  forceAsk: undefined,
  realPath: (path) => path,
  holdsClosed: () => false,
  shell: undefined,
  reading: undefined
}

export const userRule = (
  rule: Partial<PolicyRule> & Pick<PolicyRule, "toolName" | "decision">,
  priority = 100
): PolicyRule => ({
  rank: rankOf("user", priority),
  tier: "user",
  source: "test",
  ...rule
})

const SHELL = { variables: { PATH: "/usr/local/bin:/usr/bin:/bin", USER: "me" }, dialect: "bash" } as const

/** What is understood of a line where every program is installed: verdicts are not to depend on this machine. */
export const readingIn = (context: Omit<DecisionContext, "shell" | "reading">, command: string) => {
  const place = readingPlace(context.cwd, context, SHELL)
  const programOrigin = (name: string) => (name.includes("/") ? place.programOrigin(name) : "system")
  return readLine(command, { ...place, programOrigin })
}
