/**
 * What a decision is made with and that stays the same while the program runs: real paths of the workspace, and
 * whether names that may not be read lie below a folder.
 */

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { blockedSegment } from "../files/containment.ts"
import { realPathOf } from "../files/real-path.ts"
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

/** Looks for names that may not be read below a folder: a recursive search would read them with the rest. */
const MAX_ENTRIES = 5_000

/** A tree too large to look through counts as holding some. Links are not followed, and what is no folder holds none. */
export const holdsClosedNames = (folder: string): boolean => {
  const open = [folder]
  let seen = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of entriesOf(next)) {
      seen++
      if (seen > MAX_ENTRIES || blockedSegment(entry.name, "read") !== null) return true
      if (entry.isDirectory()) open.push(join(next, entry.name))
    }
  }
  return false
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
