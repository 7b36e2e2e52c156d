/**
 * Finds the files that context files import: on disk, and only inside the project that the importing file belongs to. For
 * a file of the user's own that is where it is named; what it is a link to is the user's business.
 */
import { dirname, relative, resolve } from "node:path"
import { secretReason, strayReason } from "../files/brought-file.ts"
import { isInside } from "../files/containment.ts"
import { projectOf } from "../files/project-root.ts"
import { insideFrame } from "../kernel/prompt-frames.ts"
import type { ImportReader } from "./imports.ts"
import { readTextHead } from "./text-head.ts"

/** One imported file; a longer one is not brought in. */
const MAX_IMPORT_BYTES = 512 * 1024

export interface ImportPlace {
  /** Names that show the top of a project. */
  readonly markers: ReadonlyArray<string>
  /** Where files of the project may lie; absent for a context file that is none of the project's. */
  readonly borders: ReadonlyArray<string> | undefined
}

export const importReader = (contextFile: string, { borders, markers }: ImportPlace): ImportReader => {
  const folder = dirname(contextFile)
  const root = borders?.find((border) => isInside(border, folder)) ?? projectOf(folder, markers) ?? folder
  return (name, from) => {
    const path = resolve(dirname(from), name)
    if (!isInside(root, path)) return { kind: "outside", reason: "Path traversal attempt" }
    const stray = borders === undefined ? secretReason(relative(root, path)) : strayReason(path, [root])
    if (stray !== undefined) return { kind: "refused", reason: `it ${stray}` }
    const head = readTextHead(path, MAX_IMPORT_BYTES)
    if (head.kind === "missing") return { kind: "missing", reason: "there is no such file" }
    if (head.kind === "refused") return { kind: "refused", reason: `it ${head.reason}` }
    if (head.isCut) return { kind: "refused", reason: `it is larger than ${MAX_IMPORT_BYTES / 1024} KiB` }
    return { kind: "file", path, identity: head.identity, text: insideFrame(head.text.trim()) }
  }
}
