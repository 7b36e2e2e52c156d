/** All samples: for each program with a table how it is tried. */
import type { ProgramSuite } from "./program-sample.ts"
import { coreutils } from "./program-samples-coreutils.ts"
import { searchSuites } from "./program-samples-searches.ts"
import { systemSuites } from "./program-samples-system.ts"

export const SUITES: ReadonlyArray<ProgramSuite> = [coreutils, ...searchSuites, ...systemSuites]
