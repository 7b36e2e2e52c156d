/** Finds the files that context files import: on disk, and only inside the project that the importing file belongs to. */
import { dirname, resolve } from "node:path"
import { isInside } from "../files/containment.ts"
import { realPathOf } from "../files/real-path.ts"
import type { ImportReader } from "./imports.ts"
import { projectOf } from "./project-root.ts"
import { readTextHead } from "./text-head.ts"

/** One imported file; a longer one is not brought in. */
const MAX_IMPORT_BYTES = 512 * 1024

/** `folder`: where the context file lies. `markers`: names that show the top of a project. */
export const importReader = (folder: string, markers: ReadonlyArray<string>): ImportReader => {
  const root = realOrNull(projectOf(folder, markers) ?? folder)
  return (name, from) => {
    const path = resolve(dirname(from), name)
    const real = realOrNull(path)
    if (root === null || real === null) return { kind: "refused", reason: "its path cannot be resolved" }
    if (!isInside(root, real)) return { kind: "outside", reason: "Path traversal attempt" }
    const head = readTextHead(real, MAX_IMPORT_BYTES)
    if (head.kind === "missing") return { kind: "missing", reason: "there is no such file" }
    if (head.kind === "refused") return { kind: "refused", reason: `it ${head.reason}` }
    if (head.isCut) return { kind: "refused", reason: `it is larger than ${MAX_IMPORT_BYTES / 1024} KiB` }
    return { kind: "file", path, identity: head.identity, text: head.text.trim() }
  }
}

/** `null` for links in a loop and folders that may not be searched. */
const realOrNull = (path: string): string | null => {
  try {
    return realPathOf(path)
  } catch {
    return null
  }
}
