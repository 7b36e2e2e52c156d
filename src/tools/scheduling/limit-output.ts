import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, type Option } from "effect"

/**
 * Keeps tool output within what the context can bear: the first fifth and the last four fifths stay, cut at line
 * borders, and the whole is saved where `read_file` can reach it. Pure: saving is the caller's.
 */
export interface LimitedOutput {
  readonly text: string
  /** Characters that are missing in the text; zero when nothing was cut. */
  readonly omitted: number
}

const HEAD_SHARE = 0.2

/** A threshold of zero or less means no limit. */
export const limitOutput = (text: string, threshold: number, savedTo: string | undefined): LimitedOutput => {
  if (threshold <= 0 || text.length <= threshold) return { text, omitted: 0 }
  const head = cutHead(text, Math.floor(threshold * HEAD_SHARE))
  const tail = cutTail(text, threshold - Math.floor(threshold * HEAD_SHARE))
  const omitted = text.length - head.length - tail.length
  const place =
    savedTo === undefined ? "" : ` All that the tool returned is in ${savedTo}; read_file shows parts of it.`
  return {
    text: [
      `Output too large: ${grouped(text.length)} characters, ${grouped(omitted)} left out below.${place}`,
      head,
      `... [${grouped(omitted)} characters omitted] ...`,
      tail
    ].join("\n"),
    omitted
  }
}

/** A safe name for the saved output: `<tool>_<call>.txt`, without a repeated prefix. */
export const outputFileName = (tool: string, callId: string): string => {
  const name = safe(tool)
  const call = safe(callId)
  return `${call.startsWith(`${name}_`) ? call : `${name}_${call}`}.txt`
}

/** How far a cut may move to reach a line border. */
const LINE_REACH = 2000

const cutHead = (text: string, length: number): string => {
  const border = text.lastIndexOf("\n", length)
  const end = border > length - LINE_REACH && border > 0 ? border : notInsidePair(text, length)
  return text.slice(0, end)
}

const cutTail = (text: string, length: number): string => {
  const start = text.length - length
  const border = text.indexOf("\n", start)
  return text.slice(border !== -1 && border < start + LINE_REACH ? border + 1 : notInsidePair(text, start))
}

const notInsidePair = (text: string, index: number): number => {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index
}

const grouped = (count: number): string => count.toLocaleString("en-US")

const safe = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .slice(0, 100)

/** Whole outputs on disk, for results that were too long for the model. */

/** The path, readable by its owner only; none where the place cannot be written, which only costs the reference to it. */
export const saveOutput = (file: string, text: string): Effect.Effect<Option.Option<string>> =>
  Effect.tryPromise(async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    // Made anew: a file that is there keeps its permissions, and a link leads elsewhere.
    await rm(file, { force: true })
    await writeFile(file, text, { mode: 0o600, flag: "wx" })
    return file
  }).pipe(Effect.option)
