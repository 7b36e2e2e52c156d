/** What `--profile` says on standard error once the run has ended: the parts of its start, and what was loaded for it. */
import { loadedChunks, type PhaseTime, type StartProfile } from "../kernel/start-profile.ts"

export const profileText = (profile: StartProfile): string => {
  const atStart = new Set(profile.chunks())
  const later = loadedChunks().filter((file) => !atStart.has(file))
  return [
    "",
    row("start-up phase", "from ms", "took ms", "cpu ms"),
    ...profile.phases().map(phaseRow),
    ...profile.unfinished().map((name) => row(name, "", "unfinished", "")),
    ...chunkRows("loaded at the start", [...atStart]),
    ...chunkRows("loaded later", later),
    ""
  ].join("\n")
}

const phaseRow = ({ durationMs, from, name, systemMicros, userMicros }: PhaseTime) =>
  row(name, from.toFixed(1), durationMs.toFixed(1), ((userMicros + systemMicros) / 1_000).toFixed(1))

const row = (name: string, ...cells: ReadonlyArray<string>): string =>
  [name.padEnd(NAME_WIDTH), ...cells.map((cell) => cell.padStart(CELL_WIDTH))].join("").trimEnd()

const NAME_WIDTH = 32
const CELL_WIDTH = 12

/** The largest first: they are what a start pays for. */
const chunkRows = (title: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (files.length === 0) return []
  const chunks = files
    .map((file) => ({ name: nameOf(file), bytes: Bun.file(file).size }))
    .toSorted((a, b) => b.bytes - a.bytes)
  const all = chunks.reduce((sum, { bytes }) => sum + bytes, 0)
  return [
    "",
    row(`${title}: ${chunks.length}`, `${kib(all)} KiB`),
    ...chunks.map(({ bytes, name }) => row(name, `${kib(bytes)} KiB`))
  ]
}

const kib = (bytes: number): string => (bytes / 1_024).toFixed(1)

const nameOf = (file: string): string => file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
