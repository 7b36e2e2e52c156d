/** What the binary says about itself: the version of package.json, the commit that it was built from, and its machine. */
import { runQuietly } from "./run-quietly.ts"

export interface Stamp {
  readonly version: string
  readonly commit: string
  /** Of the commit, not of the build: the same sources give the same program. */
  readonly date: string
}

export const stampOf = async (root: string): Promise<Stamp> => ({
  version: await versionOf(root),
  commit: await gitAnswer(root, ["rev-parse", "--short=12", "HEAD"], /^[0-9a-f]+$/),
  date: await gitAnswer(root, ["log", "-1", "--format=%cI"], /^\d{4}-\d\d-\d\dT/)
})

/** The names under which the sources read it. */
export const definesOf = (stamp: Stamp, target: string | undefined) => ({
  GEMINI_VERSION: stamp.version,
  GEMINI_COMMIT: stamp.commit,
  GEMINI_DATE: stamp.date,
  ...(target === undefined ? {} : { GEMINI_TARGET: target })
})

const versionOf = async (root: string): Promise<string> => {
  const manifest: unknown = await Bun.file(`${root}/package.json`).json()
  const version = manifest instanceof Object && "version" in manifest ? manifest.version : undefined
  if (typeof version !== "string") throw new Error("package.json has no version")
  return version
}

/** `unknown` outside a git checkout, without git, and before the first commit. */
const gitAnswer = async (root: string, question: ReadonlyArray<string>, form: RegExp): Promise<string> => {
  try {
    const text = (await runQuietly(["git", "-C", root, ...question])).trim()
    return form.test(text) ? text : "unknown"
  } catch {
    return "unknown"
  }
}
