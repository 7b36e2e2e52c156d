/** What a run of the fuzzer needs around it: the tree, the shell and the judge, all in a folder that is removed. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EVERYDAY } from "../../../src/policy/fixtures/everyday.ts"
import { canContain } from "./contained.ts"
import { type FuzzOptions, FuzzRun } from "./fuzz-run.ts"
import { growTree } from "./hostile-tree.ts"
import { lineJudge, SURROUNDINGS } from "./surroundings.ts"
import { TracedShell } from "./traced-shell.ts"

/** Whether this machine can keep a shell in a folder and look at what it does there. */
export const canFuzz = (): boolean =>
  canContain() && Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0

type FuzzRequest = Pick<FuzzOptions, "from" | "lanes" | "onProgress" | "seed" | "to">

/** `only`: the name of the surroundings to look at; absent: all. */
export const fuzzShell = async (options: FuzzRequest, only?: string) => {
  const scratch = mkdtempSync(join(tmpdir(), "fuzz-shell-"))
  try {
    for (const folder of ["root", "runs"]) mkdirSync(join(scratch, folder))
    const tree = await growTree(join(scratch, "root"))
    const shell = new TracedShell(tree, join(scratch, "runs"))
    const surroundings = SURROUNDINGS.filter(({ name }) => only === undefined || name === only)
    const judge = await lineJudge(tree)
    return await new FuzzRun({ ...options, everyday: EVERYDAY, tree, shell, judge, surroundings }).whole()
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
