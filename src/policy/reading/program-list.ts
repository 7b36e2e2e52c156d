/** The tables by name. */
import type { ProgramTable } from "./program-table.ts"
import { awks } from "./programs/awk.ts"
import { baseEncodings } from "./programs/base-encodings.ts"
import { cat } from "./programs/cat.ts"
import { checksums } from "./programs/checksums.ts"
import { clock } from "./programs/clock.ts"
import { cmp } from "./programs/cmp.ts"
import { diff } from "./programs/diff.ts"
import { diffstat } from "./programs/diffstat.ts"
import { diskUsage } from "./programs/disk-usage.ts"
import { echo } from "./programs/echo.ts"
import { file } from "./programs/file.ts"
import { fileChanges } from "./programs/file-changes.ts"
import { find } from "./programs/find.ts"
import { git } from "./programs/git/git.ts"
import { greps } from "./programs/grep.ts"
import { hexDumps } from "./programs/hex-dumps.ts"
import { jq } from "./programs/jq.ts"
import { lineFilters } from "./programs/line-filters.ts"
import { ls } from "./programs/ls.ts"
import { numbers } from "./programs/numbers.ts"
import { objectFiles } from "./programs/object-files.ts"
import { pathNames } from "./programs/path-names.ts"
import { printenv } from "./programs/printenv.ts"
import { printf } from "./programs/printf.ts"
import { processes } from "./programs/processes.ts"
import { programLookups } from "./programs/program-lookups.ts"
import { rg } from "./programs/rg.ts"
import { sed } from "./programs/sed.ts"
import { shellTests } from "./programs/shell-tests.ts"
import { shellWords } from "./programs/shell-words.ts"
import { shells } from "./programs/shells.ts"
import { sortedLines } from "./programs/sorted-lines.ts"
import { stat } from "./programs/stat.ts"
import { systemFacts } from "./programs/system-facts.ts"
import { tail } from "./programs/tail.ts"
import { tar } from "./programs/tar.ts"
import { tree } from "./programs/tree.ts"
import { versionQueries } from "./programs/version-queries.ts"
import { wc } from "./programs/wc.ts"
import { wrappers } from "./programs/wrappers.ts"
import { xargs } from "./programs/xargs.ts"

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
