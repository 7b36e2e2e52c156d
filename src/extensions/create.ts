/** `gemini extensions new`: a folder with a manifest and an example. The folder must not exist. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { ExtensionError, onDisk } from "./extension-error.ts"
import { EXTENSION_NAME } from "./manifest.ts"
import { type TemplateName, templateFiles } from "./templates.ts"

/** Names of the files that were written. */
export const createExtension = Effect.fn("Extensions.create")(function* (
  folder: string,
  template: TemplateName | undefined
) {
  const name = basename(folder)
  if (existsSync(folder)) {
    return yield* new ExtensionError({
      kind: "exists",
      detail: `${folder} is there already.`,
      advice: "Name a new one."
    })
  }
  if (!EXTENSION_NAME.test(name)) {
    return yield* new ExtensionError({
      kind: "invalid",
      detail: `"${name}" cannot be the name of an extension.`,
      advice: "Use letters, digits and -."
    })
  }
  const files = templateFiles(name, template)
  yield* onDisk(folder, () => {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), content)
    }
  })
  return Object.keys(files)
})
