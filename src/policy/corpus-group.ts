/** The form of the corpus of shell lines (`corpus.ts`). */
import type { Verdict } from "./decision.ts"

/**
 * `default`, `auto_edit`, `yolo`, `plan`: that mode, interactive, trusted, no rules but the shipped ones.
 * `headless`, `untrusted`: as `default`, otherwise.
 * `shell`: all of the shell is allowed by name. `named`: `git`, `npm test`, `echo`, `touch`, `sudo apt` and `python3` are
 * allowed as prefixes, in default mode. `guarded`: yolo with a rule that denies `touch`.
 */
export type CorpusSurroundings =
  | "default"
  | "auto_edit"
  | "yolo"
  | "plan"
  | "headless"
  | "untrusted"
  | "shell"
  | "named"
  | "guarded"

export interface CorpusGroup {
  readonly about: string
  readonly surroundings: CorpusSurroundings
  readonly verdict: Verdict
  readonly commands: ReadonlyArray<string>
}

export const group = (
  surroundings: CorpusSurroundings,
  verdict: Verdict,
  about: string,
  commands: ReadonlyArray<string>
): CorpusGroup => ({ about, surroundings, verdict, commands })
