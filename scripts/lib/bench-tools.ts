/**
 * The second group of the bench: runs in which the model calls tools. Each part gives medians under the names of
 * `bench-rows.ts`; parts that are compared with each other take turns within one run wherever they can.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { growFolder, measureSearch, measureStart } from "./bench-tools-files.ts"
import { measureDecisions } from "./bench-tools-policy.ts"
import type { Subject } from "./bench-tools-run.ts"
import { measureFirstShellCall, measureFlood } from "./bench-tools-shell.ts"
import { measureParallel, measureTurns, writeReadFile } from "./bench-tools-turns.ts"
import { type Measured, measureParts } from "./measure.ts"

export interface ToolBench {
  readonly binary: string
  /** Of runs that are not asked for tools: it holds the address of a model, too. */
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

export const measureTools = async ({ binary, env, onPart, scratch }: ToolBench): Promise<Measured> => {
  const [work, empty, large] = [join(scratch, "work"), join(scratch, "empty"), join(scratch, "large")]
  for (const folder of [work, empty, large]) await mkdir(folder)
  await writeReadFile(work)
  const subject: Subject = { binary, env, cwd: work }
  return measureParts(
    [
      ["1,000 turns", () => measureTurns(subject)],
      ["parallel reads", () => measureParallel(subject)],
      ["first shell calls", () => measureFirstShellCall(subject)],
      ["policy decisions", () => measureDecisions(scratch)],
      ["2 GB of shell output", () => measureFlood(subject)],
      ["searches in 200,000 files", () => measureSearch(subject, growFolder(large))],
      ["starts among 500,000 files", () => measureStart(subject, { empty, large })]
    ],
    onPart
  )
}
