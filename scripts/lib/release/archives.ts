/** Archives whose bytes depend on their content alone: sorted, one time for all files, no owners, no names of machines. */
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { type Zippable, zipSync } from "fflate"
import { runQuietly } from "../run-quietly.ts"

/** Seconds since 1970 that every file of a release carries. */
export type Epoch = number

/** `folder` becomes the only entry at the top of the archive. */
export const writeTarball = async (folder: string, file: string, epoch: Epoch): Promise<void> => {
  const tar = `${file}.tar`
  await runQuietly([
    "tar",
    "--sort=name",
    `--mtime=@${epoch}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
    "--format=ustar",
    "-cf",
    tar,
    "-C",
    dirname(folder),
    basename(folder)
  ])
  try {
    await Bun.write(file, Bun.gzipSync(await Bun.file(tar).bytes(), { level: 6 }))
  } finally {
    await rm(tar, { force: true })
  }
}

export const writeZip = async (folder: string, file: string, epoch: Epoch): Promise<void> => {
  const entries: Zippable = {}
  const names = (await readdir(folder, { recursive: true })).sort()
  for (const name of names) {
    const path = join(folder, name)
    if (!(await stat(path)).isFile()) continue
    entries[`${basename(folder)}/${name}`] = await readFile(path)
  }
  // The format keeps local times: without a zone of its own, a machine's zone would show in the bytes.
  const local = new Date(epoch * 1000 + new Date(epoch * 1000).getTimezoneOffset() * 60_000)
  await writeFile(file, zipSync(entries, { level: 6, mtime: local, os: 0 }))
}

/** Copies files to their places below `root`, with their modes. */
export const layOut = async (
  root: string,
  files: ReadonlyArray<{ readonly from?: string; readonly text?: string; readonly to: string; readonly mode?: number }>
): Promise<void> => {
  for (const { from, mode = 0o644, text, to } of files) {
    const place = join(root, to)
    await mkdir(dirname(place), { recursive: true })
    if (from === undefined) await writeFile(place, text ?? "")
    else await cp(from, place)
    await chmod(place, mode)
  }
}
