/** One context file: read within bounds, its imports resolved, framed by lines that say where it comes from. */
import { Effect } from "effect"
import { strayLinkReason } from "../files/brought-file.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import type { ImportFormat } from "./imports.ts"
import { readTextHead, type TextHead } from "./text-head.ts"

/** Where a context file comes from, and with it how it reaches the model. */
export type ContextTier = "global" | "private" | "extension" | "project"

export interface ContextFile {
  readonly path: string
  readonly tier: ContextTier
  /** The framed text, as it is sent. */
  readonly block: string
  /** Files that it imports. */
  readonly imported: ReadonlyArray<string>
}

export type ContextRead =
  | { readonly kind: "none" }
  | { readonly kind: "loaded"; readonly file: ContextFile; readonly warnings: ReadonlyArray<string> }
  | { readonly kind: "refused"; readonly warnings: ReadonlyArray<string> }

/** Of one context file; the rest is left out, and the model and the person are told. */
const MAX_CONTEXT_BYTES = 512 * 1024

export interface ReadOptions {
  readonly importFormat: ImportFormat
  readonly markers: ReadonlyArray<string>
  /** `true`: this file is known already. Called with the identity of a file that was found. */
  readonly isKnown: (identity: string) => boolean
  /** Folders into which links of this file may lead, if it is none of the user's own. */
  readonly bordersOf: (path: string, tier: ContextTier) => ReadonlyArray<string> | undefined
}

export const readContextFile = (path: string, tier: ContextTier, options: ReadOptions): Effect.Effect<ContextRead> =>
  Effect.suspend(() => {
    const head = readTextHead(path, MAX_CONTEXT_BYTES)
    if (head.kind === "missing" || (head.kind === "refused" && head.isFolder)) return Effect.succeed(NONE)
    if (head.kind === "refused") {
      const warning = `${path} is not used as context: it ${head.reason}`
      return Effect.succeed<ContextRead>({ kind: "refused", warnings: [warning] })
    }
    const stray = tier === "project" ? strayLinkReason(path, () => options.bordersOf(path, tier) ?? []) : undefined
    if (stray !== undefined) {
      return Effect.succeed<ContextRead>({ kind: "refused", warnings: [`${path} is not used as context: it ${stray}`] })
    }
    if (head.text.trim() === "" || options.isKnown(head.identity)) return Effect.succeed(NONE)
    return Effect.map(withImports(path, tier, head, options), ({ faults, imported, text }) => ({
      kind: "loaded",
      file: { path, tier, block: contextBlock(path, text + cutNote(head)), imported },
      warnings: [...cutWarning(path, head), ...faults.map((fault) => `${path} imports ${fault}`)]
    }))
  })

const NONE: ContextRead = { kind: "none" }

type Text = Extract<TextHead, { readonly kind: "text" }>

const withImports = (
  path: string,
  tier: ContextTier,
  head: Text,
  { bordersOf, importFormat, markers }: ReadOptions
) => {
  const text = insideFrame(head.text.trim())
  // Without an `@` there is nothing to import, and the code for it is not loaded.
  if (!text.includes("@")) return Effect.succeed({ text, imported: [], faults: [] })
  return Effect.map(
    Effect.promise(() => Promise.all([import("./imports.ts"), import("./import-reader.ts")])),
    ([{ resolveImports }, { importReader }]) =>
      resolveImports({
        format: importFormat,
        file: { kind: "file", path, identity: head.identity, text },
        read: importReader(path, { markers, borders: bordersOf(path, tier) })
      })
  )
}

/** `text` is fit for a frame. */
export const contextBlock = (name: string, text: string): string =>
  `--- Context from: ${frameName(name)} ---\n${text}\n--- End of Context from: ${frameName(name)} ---`

const cutNote = ({ isCut, size }: Text): string =>
  isCut ? `\n[The rest is left out: the file has ${size} bytes, of which the first ${MAX_CONTEXT_BYTES} are used.]` : ""

const cutWarning = (path: string, { isCut, size }: Text): ReadonlyArray<string> =>
  isCut ? [`${path} has ${size} bytes: only the first ${MAX_CONTEXT_BYTES / 1024} KiB are used as context`] : []
