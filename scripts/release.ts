/**
 * Makes a release: every artefact that people install, from one commit, with the same bytes each time. It works in a
 * folder beside the result, which appears whole or not at all.
 */
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { completions } from "../src/cli/generated/completions.ts"
import { compile } from "./lib/compile.ts"
import { layOut, writeTarball, writeZip } from "./lib/release/archives.ts"
import { packageManifests } from "./lib/release/manifests.ts"
import { packLauncher, packPlatform } from "./lib/release/npm-packages.ts"
import { parseReleaseOptions, RELEASE_HELP, type ReleaseOptions } from "./lib/release/release-options.ts"
import { makeSbom } from "./lib/release/sbom.ts"
import { type SystemPackage, writeDeb, writeRpm } from "./lib/release/system-packages.ts"
import { archiveName, binaryName, DOWNLOAD_BASE, RELEASE_TARGETS, type ReleaseTarget } from "./lib/release/targets.ts"
import { runQuietly } from "./lib/run-quietly.ts"
import { definesOf, type Stamp, stampOf } from "./lib/stamp.ts"

const root = resolve(import.meta.dir, "..")

interface Work {
  readonly options: ReleaseOptions
  readonly stamp: Stamp
  readonly epoch: number
  /** Where artefacts are gathered until all are there. */
  readonly out: string
  readonly scratch: string
}

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const options = parseReleaseOptions(argv)
  if (options === "help") {
    process.stdout.write(RELEASE_HELP)
    return 0
  }
  const place = resolve(options.out)
  demandPrograms(options)
  const scratch = `${place}.work`
  await rm(scratch, { recursive: true, force: true })
  const stamp = await stampOf(root)
  const work: Work = { options, stamp, epoch: await epochOf(stamp), out: join(scratch, "out"), scratch }
  await mkdir(work.out, { recursive: true })
  try {
    await makeAll(work)
    await rm(place, { recursive: true, force: true })
    await mkdir(dirname(place), { recursive: true })
    await rename(work.out, place)
    tell(`made ${place}`)
    return 0
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const makeAll = async (work: Work): Promise<void> => {
  const targets = RELEASE_TARGETS.filter(({ name }) => work.options.targets.includes(name))
  for (const target of targets) {
    const binary = await binaryOf(work, target)
    tell(`${target.name}: ${(Bun.file(binary).size / 2 ** 20).toFixed(1)} MiB`)
    await writeArchive(work, target, binary)
    await writeSystemPackages(work, target, binary)
    if (!work.options.skip.has("npm")) await packPlatform(npmRelease(work), target, binary)
    if (target.name === "linux-x64" && !work.options.skip.has("image")) await writeImage(work, binary)
  }
  if (!work.options.skip.has("npm")) await packLauncher(npmRelease(work), targets)
  if (!work.options.skip.has("sbom")) await writeSbom(work)
  await writeInstallers(work)
  const sums = await writeSums(work)
  if (targets.length === RELEASE_TARGETS.length) {
    for (const [path, text] of packageManifests({ version: work.stamp.version, sums }))
      await layOut(work.out, [{ text, to: `manifests/${path}` }])
  }
}

/** Before the first build, so that nobody waits for minutes to hear that something is missing. */
const demandPrograms = ({ skip }: ReleaseOptions): void => {
  const needed = [
    { program: "tar", of: "tar", part: undefined },
    { program: "npm", of: "Node.js", part: "npm" },
    { program: "dpkg-deb", of: "dpkg", part: "deb" },
    { program: "rpmbuild", of: "rpm", part: "rpm" }
  ] as const
  for (const { of, part, program } of needed) {
    if (part !== undefined && skip.has(part)) continue
    if (Bun.which(program) !== null) continue
    throw new Error(
      `${program} is missing; install the package ${of}${part === undefined ? "" : `, or leave the part out with --skip ${part}`}`
    )
  }
}

const epochOf = async ({ date }: Stamp): Promise<number> => {
  const given = process.env.SOURCE_DATE_EPOCH
  if (given !== undefined && /^\d+$/.test(given)) return Number(given)
  if (date === "unknown") throw new Error("outside a git checkout a release needs SOURCE_DATE_EPOCH")
  return Math.floor(Date.parse(date) / 1000)
}

const binaryOf = async ({ options, scratch }: Work, { name }: ReleaseTarget): Promise<string> => {
  const given = options.prebuilt.get(name)
  if (given !== undefined) return resolve(given)
  const file = join(scratch, "build", name, binaryName(name))
  await runQuietly([process.execPath, join(root, "scripts/build.ts"), "--target", name, "--outfile", file])
  return file
}

const writeArchive = async ({ epoch, out, scratch, stamp }: Work, target: ReleaseTarget, binary: string) => {
  const folder = join(scratch, "archive", `gemini-${stamp.version}-${target.name}`)
  await layOut(folder, [
    { from: binary, to: binaryName(target.name), mode: 0o755 },
    { from: join(root, "LICENSE"), to: "LICENSE" },
    { from: join(root, "README.md"), to: "README.md" },
    { from: join(root, "docs/gemini.1"), to: "gemini.1" },
    { text: completionOf("bash"), to: "completions/gemini.bash" },
    { text: completionOf("zsh"), to: "completions/_gemini" },
    { text: completionOf("fish"), to: "completions/gemini.fish" }
  ])
  const file = join(out, archiveName(stamp.version, target))
  if (target.archive === "zip") await writeZip(folder, file, epoch)
  else await writeTarball(folder, file, epoch)
}

const writeSystemPackages = async (work: Work, target: ReleaseTarget, binary: string): Promise<void> => {
  const made: SystemPackage = {
    version: work.stamp.version,
    epoch: work.epoch,
    scratch: work.scratch,
    out: work.out,
    files: {
      binary,
      manPage: join(root, "docs/gemini.1"),
      license: join(root, "LICENSE"),
      completions: { bash: completionOf("bash"), zsh: completionOf("zsh"), fish: completionOf("fish") }
    }
  }
  if (target.deb !== undefined && !work.options.skip.has("deb")) await writeDeb(made, target.deb)
  if (target.rpm !== undefined && !work.options.skip.has("rpm")) await writeRpm(made, target.rpm)
}

const npmRelease = ({ out, scratch, stamp }: Work) => ({ root, version: stamp.version, scratch, out })

/** The context of the image: its bytes are the same each time, which those of an image, made by another program, are not. */
const writeImage = async ({ epoch, out, scratch, stamp }: Work, binary: string): Promise<void> => {
  const folder = join(scratch, "image", "gemini-image")
  const text = await filledIn("packaging/Containerfile", stamp.version)
  await layOut(folder, [
    { text, to: "Containerfile" },
    { from: binary, to: "gemini", mode: 0o755 }
  ])
  await writeTarball(folder, join(out, `gemini-${stamp.version}-image.tar.gz`), epoch)
}

const writeSbom = async ({ epoch, out, scratch, stamp }: Work): Promise<void> => {
  const metafile = join(scratch, "meta.json")
  await compile({
    entry: join(root, "src/main.ts"),
    outfile: join(scratch, "sbom-build"),
    metafile,
    define: definesOf(stamp, undefined)
  })
  const report: { readonly inputs: Record<string, unknown> } = JSON.parse(await readFile(metafile, "utf8"))
  const text = await makeSbom({
    root,
    version: stamp.version,
    epoch,
    inputs: Object.keys(report.inputs),
    bunVersion: Bun.version
  })
  await writeFile(join(out, "sbom.cdx.json"), text)
}

const writeInstallers = async ({ out, stamp }: Work): Promise<void> => {
  await layOut(out, [
    { text: await filledIn("packaging/install.sh", stamp.version), to: "install.sh", mode: 0o755 },
    { text: await filledIn("packaging/install.ps1", stamp.version), to: "install.ps1" }
  ])
}

const filledIn = async (file: string, version: string): Promise<string> =>
  (await readFile(join(root, file), "utf8"))
    .replaceAll("@VERSION@", version)
    .replaceAll("@BASE@", DOWNLOAD_BASE)
    .replaceAll("@PUBLIC_KEY@", await publicKey())

/** The second line of a minisign key; empty without one, and then nothing is signed or checked. */
const publicKey = async (): Promise<string> => {
  const secret = process.env.MINISIGN_KEY
  if (secret === undefined || secret === "") return ""
  const file = join(await makeScratch(), "minisign.pub")
  await runQuietly(["minisign", "-R", "-s", secret, "-p", file])
  return (await readFile(file, "utf8")).trim().split("\n").at(-1) ?? ""
}

const makeScratch = async (): Promise<string> => {
  const { mkdtemp } = await import("node:fs/promises")
  const { tmpdir } = await import("node:os")
  return mkdtemp(join(tmpdir(), "gemini-release-"))
}

const writeSums = async ({ out }: Work): Promise<ReadonlyMap<string, string>> => {
  const sums = new Map<string, string>()
  for (const name of (await readdir(out)).sort()) {
    const hash = new Bun.CryptoHasher("sha256")
    for await (const part of Bun.file(join(out, name)).stream()) hash.update(part)
    sums.set(name, hash.digest("hex"))
  }
  const file = join(out, "SHA256SUMS")
  await writeFile(file, [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(""))
  const secret = process.env.MINISIGN_KEY
  if (secret !== undefined && secret !== "")
    await runQuietly(["minisign", "-S", "-W", "-s", secret, "-m", file, "-t", "gemini-fx"])
  return sums
}

const completionOf = (shell: string): string => {
  const text = completions[shell]
  if (text === undefined) throw new Error(`there is no completion for ${shell}`)
  return text
}

const tell = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

if (!existsSync(join(root, "package.json"))) throw new Error("started outside the project")
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  tell(`error: ${error instanceof Error ? error.message : String(error)}`)
  return 1
})
