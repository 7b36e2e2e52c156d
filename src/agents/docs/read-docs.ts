/**
 * Runs while the program is built: reads the documentation of the project, so that the binary carries it and no list has
 * to be kept. In the binary nothing of this file is left but the texts.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** Texts by name, such as `agents.md`. */
export const readDocs = (): Record<string, string> => {
  const root = resolve(import.meta.dir, "../../..")
  // The index of the folder says nothing that its pages do not.
  const docs = readdirSync(join(root, "docs")).filter((name) => /\.(?:md|1)$/.test(name) && name !== "README.md")
  return Object.fromEntries([
    ["README.md", readFileSync(join(root, "README.md"), "utf8")],
    ...docs.sort().map((name) => [name, readFileSync(join(root, "docs", name), "utf8")])
  ])
}
