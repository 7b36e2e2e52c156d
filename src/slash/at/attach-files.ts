/** The content of the files that a prompt refers to, as parts for the model, within a budget. What did not fit is named. */
import { Effect } from "effect"
import { type ResolvedPath, Workspace } from "../../files/workspace.ts"
import { frameName, insideFrame } from "../../kernel/prompt-frames.ts"
import type { Part } from "../../protocol/content.ts"
import { contentOf, type FileContent, isAskedFor } from "../../tools/search/file-content.ts"
import type { LineRange, TextPage } from "../../tools/search/text-page.ts"
import { type ReferenceMeaning, shownPath } from "./resolve-reference.ts"

export interface Attached {
  /** As the model is told it. */
  readonly path: string
  readonly real: string
  readonly part: Part
  readonly bytes: number
}

export interface Attachments {
  readonly read: ReadonlyArray<Attached>
  readonly skipped: ReadonlyArray<{ readonly path: string; readonly reason: string }>
}

/** Characters of text in one prompt. */
const MAX_TOTAL_LENGTH = 1_000_000
/** Bytes of media in one prompt: a request may hold 20 MB, and base64 makes a third more of it. */
const MAX_TOTAL_MEDIA = 14 * 1024 * 1024
const NO_ROOM = "there is no room left in this prompt"

interface Wanted {
  readonly file: ResolvedPath
  readonly shown: string
  readonly range: LineRange | undefined
  /** The glob or folder that found it; `undefined` for a file that was named. */
  readonly pattern: string | undefined
}

export const readContents = Effect.fn("readContents")(function* (resolutions: ReadonlyArray<ReferenceMeaning>) {
  const read: Array<Attached> = []
  const skipped: Array<{ path: string; reason: string }> = []
  let length = 0
  let media = 0
  const refusal = ({ file, pattern }: Wanted, content: FileContent): string | undefined => {
    if (content.kind !== "media") return length + textOf(content).length > MAX_TOTAL_LENGTH ? NO_ROOM : undefined
    const isRestricted = pattern !== undefined && content.media !== "video"
    if (isRestricted && !isAskedFor([pattern], file.real)) return `${content.media} files have to be named`
    return media + content.size > MAX_TOTAL_MEDIA ? NO_ROOM : undefined
  }
  const take = (wanted: Wanted, content: FileContent): string | undefined => {
    const reason = refusal(wanted, content)
    if (reason !== undefined) return reason
    const part: Part = content.kind === "media" ? content.part : { text: textOf(content) }
    const bytes = content.kind === "media" ? content.size : Buffer.byteLength(part.text ?? "")
    length += part.text?.length ?? 0
    media += content.kind === "media" ? bytes : 0
    read.push({ path: wanted.shown, real: wanted.file.real, part, bytes })
    return undefined
  }
  for (const wanted of yield* wantedFiles(resolutions)) {
    const reason = yield* contentOf(wanted.file, wanted.range).pipe(
      Effect.match({
        onFailure: (failure) => failure.display ?? failure.message,
        onSuccess: (content) => take(wanted, content)
      })
    )
    if (reason !== undefined) skipped.push({ path: wanted.shown, reason })
  }
  return { read, skipped } satisfies Attachments as Attachments
})

/** The parts that stand behind a prompt; none when nothing was read. */
export const attachmentParts = ({ read }: Attachments): ReadonlyArray<Part> =>
  read.length === 0
    ? []
    : [
        { text: "\n--- Content from referenced files ---" },
        ...read.flatMap(({ part, path }) => [{ text: `\nContent from @${frameName(path)}:\n` }, part]),
        { text: "\n--- End of content ---" }
      ]

/** Each file once for each range, in plain order of their paths; a file that was named keeps its name. */
const wantedFiles = Effect.fnUntraced(function* (resolutions: ReadonlyArray<ReferenceMeaning>) {
  const workspace = yield* Workspace
  const wanted = new Map<string, Wanted>()
  const add = (one: Wanted) => {
    const key = `${one.file.real}:${one.range?.start ?? ""}-${one.range?.end ?? ""}`
    if (one.pattern === undefined || !wanted.has(key)) wanted.set(key, one)
  }
  for (const resolution of resolutions) {
    if (resolution._tag === "File") {
      add({ file: resolution.file, shown: resolution.shown, range: resolution.range, pattern: undefined })
    }
    if (resolution._tag !== "Files") continue
    for (const path of resolution.paths) {
      const file = yield* Effect.option(workspace.resolve(path, "read"))
      if (file._tag === "None") continue
      add({ file: file.value, shown: yield* shownPath(path), range: undefined, pattern: resolution.pattern })
    }
  }
  return [...wanted.values()].toSorted((one, other) => (one.file.real < other.file.real ? -1 : 1))
})

const textOf = (content: Exclude<FileContent, { readonly kind: "media" }>): string => {
  switch (content.kind) {
    case "skipped":
      return content.message
    case "svg":
      return insideFrame(content.text.trim())
    case "text":
      return cutNotice(content.page) + insideFrame(content.page.text.trim())
  }
}

const cutNotice = (page: TextPage): string =>
  page.isCut
    ? `[WARNING: this file is cut to lines ${page.first}-${page.last} of ${page.total}; read_file shows the rest]\n`
    : ""
