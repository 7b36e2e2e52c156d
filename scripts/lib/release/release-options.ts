/** The command line of `scripts/release`. Pure. */
import { TARGETS, type Target } from "../build-options.ts"

export interface ReleaseOptions {
  readonly out: string
  readonly targets: ReadonlyArray<Target>
  /** Programs that are there already, by target: they are taken instead of being built. */
  readonly prebuilt: ReadonlyMap<Target, string>
  readonly skip: ReadonlySet<Part>
}

/** Parts that need programs of their own, and can be left out where those are missing. */
export const PARTS = ["deb", "rpm", "npm", "sbom", "image"] as const
export type Part = (typeof PARTS)[number]

export const RELEASE_HELP = `usage: scripts/release [--out DIR] [--targets LIST] [--skip LIST] [--prebuilt TARGET=FILE]

Makes archives, npm packages, system packages, install scripts, sums, a bill of materials and manifests for package
managers. The same commit gives the same bytes. Nothing is published.

  --out DIR               default: dist/release
  --targets LIST          default: all of ${TARGETS.join(", ")}
  --skip LIST             parts to leave out: ${PARTS.join(", ")}
  --prebuilt TARGET=FILE  take this program instead of building it

MINISIGN_KEY names a secret key without password: SHA256SUMS is signed with it.
SOURCE_DATE_EPOCH is the time of every file; default: that of the commit.
`

export const parseReleaseOptions = (argv: ReadonlyArray<string>): ReleaseOptions | "help" => {
  let out = "dist/release"
  let targets: ReadonlyArray<Target> = TARGETS
  const prebuilt = new Map<Target, string>()
  const skip = new Set<Part>()
  const words = argv.flatMap((word) => (/^--[a-z]+=/.test(word) ? splitOnce(word) : [word]))
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (word === "--help" || word === "-h") return "help"
    const value = words[++index]
    if (!["--out", "--targets", "--skip", "--prebuilt"].includes(word)) throw new Error(`unknown argument "${word}"`)
    if (value === undefined || value === "") throw new Error(`${word} needs a value`)
    if (word === "--out") out = value
    if (word === "--targets") targets = value.split(",").map((name) => oneOf(TARGETS, name, "target"))
    if (word === "--skip") for (const name of value.split(",")) skip.add(oneOf(PARTS, name, "part"))
    if (word === "--prebuilt") {
      const [name = "", file = ""] = splitOnce(value)
      prebuilt.set(oneOf(TARGETS, name, "target"), file)
    }
  }
  return { out, targets, prebuilt, skip }
}

const oneOf = <Name extends string>(names: ReadonlyArray<Name>, wanted: string, kind: string): Name => {
  const found = names.find((name) => name === wanted)
  if (found === undefined) throw new Error(`unknown ${kind} "${wanted}"; known: ${names.join(", ")}`)
  return found
}

const splitOnce = (word: string): ReadonlyArray<string> => {
  const at = word.indexOf("=")
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}
