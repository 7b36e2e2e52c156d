/** The content of a file or folder inside a prompt. What cannot be read leaves its placeholder, and the person is told. */
import { Effect } from "effect"
import { frameName } from "../../kernel/prompt-frames.ts"
import type { Part } from "../../protocol/content.ts"
import { type Attachments, readContents } from "../at/attach-files.ts"
import { resolvePath } from "../at/resolve-reference.ts"
import type { ExpansionNote } from "../prompt-expansion.ts"

export interface Injected {
  readonly parts: ReadonlyArray<Part>
  readonly notes: ReadonlyArray<ExpansionNote>
}

/** `written`: the placeholder as it stands in the prompt. */
export const injectFile = Effect.fn("injectFile")(function* (path: string, written: string) {
  const resolution = yield* resolvePath(path)
  if (resolution._tag === "Nothing") {
    const isIgnored = resolution.why === "ignore files hide it"
    return {
      parts: isIgnored ? [] : [{ text: written }],
      notes: [warning(`${written}: ${resolution.why ?? "there is no such file"}`)]
    } satisfies Injected as Injected
  }
  const contents = yield* readContents([resolution])
  const notes = contents.skipped.map((one) => warning(`@{${one.path}} was left out: ${one.reason}`))
  if (resolution._tag === "Files") return { parts: folderParts(resolution.shown, contents), notes }
  const [file] = contents.read
  return { parts: file === undefined ? [{ text: written }] : [file.part], notes }
})

const folderParts = (shown: string, { read }: Attachments): ReadonlyArray<Part> => [
  { text: `--- Files of ${frameName(shown)} ---\n` },
  ...read.flatMap(({ part, path }) => {
    const heading = `--- ${frameName(path)} ---\n`
    return part.text === undefined ? [{ text: heading }, part] : [{ text: `${heading}${part.text}\n` }]
  }),
  { text: `--- End of files of ${frameName(shown)} ---` }
]

const warning = (message: string): ExpansionNote => ({ severity: "warning", message })
