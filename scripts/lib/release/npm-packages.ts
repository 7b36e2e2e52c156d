/**
 * The npm packages: a launcher in JavaScript without install scripts, and one package for each machine that npm chooses by
 * its `os`, `cpu` and `libc` fields.
 */
import { join } from "node:path"
import { runQuietly } from "../run-quietly.ts"
import { layOut } from "./archives.ts"
import { binaryName, HOMEPAGE, type ReleaseTarget } from "./targets.ts"

interface NpmRelease {
  readonly root: string
  readonly version: string
  readonly scratch: string
  readonly out: string
}

const COMMON = {
  license: "Apache-2.0",
  homepage: HOMEPAGE,
  repository: { type: "git", url: `git+${HOMEPAGE}.git` }
}

export const launcherManifest = (version: string, targets: ReadonlyArray<ReleaseTarget>) => ({
  name: "gemini-fx",
  version,
  description:
    "A terminal agent for Gemini models: one-shot prompts, shell pipelines and line-mode chat in one binary.",
  ...COMMON,
  bin: { gemini: "bin/gemini.js" },
  files: ["bin"],
  engines: { node: ">=18" },
  optionalDependencies: Object.fromEntries(targets.map(({ name }) => [`@gemini-fx/${name}`, version]))
})

export const platformManifest = (version: string, { name, npm }: ReleaseTarget) => ({
  name: `@gemini-fx/${name}`,
  version,
  description: `The gemini program for ${name}; install gemini-fx instead.`,
  ...COMMON,
  os: [npm.os],
  cpu: [npm.cpu],
  ...(npm.libc === undefined ? {} : { libc: [npm.libc] }),
  files: ["bin"],
  preferUnplugged: true
})

export const packPlatform = async (release: NpmRelease, target: ReleaseTarget, binary: string): Promise<void> => {
  const folder = join(release.scratch, "npm", target.name)
  await layOut(folder, [
    { text: json(platformManifest(release.version, target)), to: "package.json" },
    { from: binary, to: `bin/${binaryName(target.name)}`, mode: 0o755 },
    { from: join(release.root, "LICENSE"), to: "LICENSE" },
    { text: `The program of [gemini-fx](${HOMEPAGE}) for ${target.name}.\n`, to: "README.md" }
  ])
  await pack(folder, release.out)
}

export const packLauncher = async (release: NpmRelease, targets: ReadonlyArray<ReleaseTarget>): Promise<void> => {
  const folder = join(release.scratch, "npm", "launcher")
  await layOut(folder, [
    { text: json(launcherManifest(release.version, targets)), to: "package.json" },
    { from: join(release.root, "packaging/npm/gemini.js"), to: "bin/gemini.js", mode: 0o755 },
    { from: join(release.root, "LICENSE"), to: "LICENSE" },
    { from: join(release.root, "README.md"), to: "README.md" }
  ])
  await pack(folder, release.out)
}

const pack = (folder: string, out: string): Promise<string> =>
  runQuietly(["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", out], { cwd: folder })

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
