/** The tables by name. */
import type { ProgramTable } from "./program-table.ts"
import { awks } from "./programs/awk.ts"
import { fileChanges } from "./programs/file-changes.ts"
import { baseEncodings, cat, checksums, cmp, diff, diffstat, hexDumps, tail, wc } from "./programs/file-contents.ts"
import { diskUsage, file, ls, pathNames, stat, tree } from "./programs/file-facts.ts"
import { git } from "./programs/git/git.ts"
import { jq } from "./programs/jq.ts"
import { lineFilters, numbers, sortedLines } from "./programs/line-filters.ts"
import { objectFiles } from "./programs/object-files.ts"
import { find, greps, rg } from "./programs/searches.ts"
import { sed } from "./programs/sed.ts"
import { shellTests } from "./programs/shell-tests.ts"
import { echo, printenv, printf, shells, shellWords } from "./programs/shell-words.ts"
import { clock, processes, systemFacts } from "./programs/system-facts.ts"
import { tar } from "./programs/tar.ts"
import { programLookups, versionQueries } from "./programs/version-queries.ts"
import { wrappers, xargs } from "./programs/wrappers.ts"

export const PROGRAMS: ReadonlyArray<ProgramTable> = [
  ...awks,
  ...baseEncodings,
  cat,
  ...checksums,
  ...clock,
  cmp,
  diff,
  diffstat,
  ...diskUsage,
  echo,
  file,
  ...fileChanges,
  find,
  git,
  ...greps,
  ...hexDumps,
  jq,
  ...lineFilters,
  ls,
  ...numbers,
  ...objectFiles,
  ...pathNames,
  printenv,
  printf,
  ...processes,
  ...programLookups,
  rg,
  sed,
  ...shellTests,
  ...shellWords,
  ...shells,
  ...sortedLines,
  stat,
  ...systemFacts,
  tail,
  tar,
  tree,
  ...versionQueries,
  wc,
  ...wrappers,
  xargs
]

const byName = new Map(PROGRAMS.map((table) => [table.name, table]))

export const programTable = (name: string): ProgramTable | undefined => byName.get(name)
