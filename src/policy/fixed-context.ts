/** What a decision is made with and that stays the same while the program runs. */
import { realPathOf } from "../files/real-path.ts"
import { holdsClosedNames } from "./closed-names.ts"
import type { LoadedPolicies } from "./policy-files.ts"

export interface FixedFacts {
  readonly isInteractive: boolean
  readonly isTrusted: boolean
  readonly cwd: string
  readonly home: string | undefined
  readonly plansDir: string | undefined
  /** `security.disableAlwaysAllow` or the administrator's secure mode. */
  readonly disablesAlways: boolean
}

export const fixedContext = (facts: FixedFacts, { forceAsk }: Pick<LoadedPolicies, "forceAsk">) => ({
  isInteractive: facts.isInteractive,
  isTrusted: facts.isTrusted,
  cwd: facts.cwd,
  home: facts.home,
  plansDir: facts.plansDir,
  ignoresAlways: facts.disablesAlways,
  forceAsk,
  realPath,
  holdsClosed: holdsClosedNames
})

const realPath = (path: string): string | undefined => {
  try {
    return realPathOf(path)
  } catch {
    return undefined
  }
}
