/**
 * The command line of `scripts/build`, and the machines that it can build for. Pure, so that a wrong flag is tested
 * without a build.
 */
import { join } from "node:path"

export const TARGETS = [
  "linux-x64",
  "linux-x64-baseline",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
  "windows-arm64"
] as const
export type Target = (typeof TARGETS)[number]

export interface BuildJob {
  /** Absent: the machine that builds. */
  readonly target: Target | undefined
  readonly outfile: string
  /** The caller named the file: it is one of the caller's folder, not of the project's. */
  readonly isChosen: boolean
}

export type BuildCommand =
  | { readonly _tag: "Build"; readonly jobs: ReadonlyArray<BuildJob> }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Wrong"; readonly message: string }

export const HELP = `usage: scripts/build [--target LIST] [--outfile FILE]

Without flags: dist/gemini for this machine, and dist/chunks.json, which says what each part of it weighs.

  --target LIST    build for other machines, to dist/gemini-TARGET; a comma-separated list of
                   ${TARGETS.join(", ")}, or "all"
  --outfile FILE   write there instead; with at most one target
`

export const parseBuildOptions = (argv: ReadonlyArray<string>): BuildCommand => {
  const targets: Array<Target> = []
  let outfile: string | undefined
  const words = argv.flatMap((word) => (/^--[a-z]+=/.test(word) ? splitOnce(word) : [word]))
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (word === "--help" || word === "-h") return { _tag: "Help" }
    if (word !== "--target" && word !== "--outfile") return wrong(`unknown argument "${word}"`)
    const value = words[++index]
    if (value === undefined || value === "") return wrong(`${word} needs a value`)
    if (word === "--outfile") {
      outfile = value
      continue
    }
    for (const name of value === "all" ? TARGETS : value.split(",")) {
      const target = targetOf(name)
      if (target === undefined) return wrong(`unknown target "${name}"; known: ${TARGETS.join(", ")}, all`)
      if (!targets.includes(target)) targets.push(target)
    }
  }
  if (outfile !== undefined && targets.length > 1) return wrong("--outfile goes with one target only")
  const isChosen = outfile !== undefined
  if (targets.length === 0) return build([{ target: undefined, outfile: outfile ?? join("dist", "gemini"), isChosen }])
  return build(targets.map((target) => ({ target, outfile: outfile ?? join("dist", fileNameOf(target)), isChosen })))
}

/** Accepts the names that Bun itself uses, too: `bun-linux-x64`. */
const targetOf = (name: string): Target | undefined => {
  const bare = name.trim().replace(/^bun-/, "")
  return TARGETS.find((target) => target === bare)
}

const fileNameOf = (target: Target): string => `gemini-${target}${target.startsWith("windows") ? ".exe" : ""}`

const splitOnce = (word: string): ReadonlyArray<string> => {
  const at = word.indexOf("=")
  return [word.slice(0, at), word.slice(at + 1)]
}

const build = (jobs: ReadonlyArray<BuildJob>): BuildCommand => ({ _tag: "Build", jobs })
const wrong = (message: string): BuildCommand => ({ _tag: "Wrong", message })
