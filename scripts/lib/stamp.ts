/** What the binary says about itself: the version of package.json and the commit that it was built from. */
import { runQuietly } from "./run-quietly.ts"

export interface Stamp {
  readonly version: string
  readonly commit: string
}

export const stampOf = async (root: string): Promise<Stamp> => ({
  version: await versionOf(root),
  commit: await commitOf(root)
})

/** The names under which the sources read it. */
export const definesOf = (stamp: Stamp) => ({ GEMINI_VERSION: stamp.version, GEMINI_COMMIT: stamp.commit })

const versionOf = async (root: string): Promise<string> => {
  const manifest: unknown = await Bun.file(`${root}/package.json`).json()
  const version = manifest instanceof Object && "version" in manifest ? manifest.version : undefined
  if (typeof version !== "string") throw new Error("package.json has no version")
  return version
}

/** `unknown` outside a git checkout, without git, and before the first commit. */
const commitOf = async (root: string): Promise<string> => {
  try {
    const text = (await runQuietly(["git", "-C", root, "rev-parse", "--short=12", "HEAD"])).trim()
    return /^[0-9a-f]+$/.test(text) ? text : "unknown"
  } catch {
    return "unknown"
  }
}
