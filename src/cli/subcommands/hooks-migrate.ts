/** `gemini hooks migrate --from-claude`: adds the hooks of Claude Code in this project to the settings of the project. */
import { join } from "node:path"
import { Effect } from "effect"
import { readForEdit, storeSetting } from "../../config/edit-settings.ts"
import { parseJsonc, plainValue } from "../../config/jsonc-node.ts"
import { added, fromClaude } from "../../hooks/claude-hooks.ts"
import { HOOK_EVENTS } from "../../hooks/hook-event.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { CliContext } from "../cli-context.ts"
import { usageError } from "../usage-error.ts"

const MAX_BYTES = 10 * 1024 * 1024

/** The personal file of the project is looked for first. */
const FILES = ["settings.local.json", "settings.json"]

export const migrateFromClaude = Effect.gen(function* () {
  const context = yield* CliContext
  const { file, value } = yield* readClaude(join(context.cwd, ".claude"))
  const { hooks, leftOut } = fromClaude(value)
  const target = { scope: "workspace" as const, file: join(context.cwd, ".gemini", "settings.json") }
  let count = 0
  for (const event of HOOK_EVENTS) {
    const more = hooks[event]
    if (more === undefined) continue
    const { document } = yield* Effect.mapError(readForEdit(target), ({ message }) => usageError(message))
    const present = document.entries.get(`hooks.${event}`)?.value
    const before = Array.isArray(present) ? present : []
    const after = added(before, more)
    if (after.length === before.length) continue
    count += after.length - before.length
    yield* Effect.catchTag(storeSetting(target, { key: `hooks.${event}`, inside: [] }, after), "ConfigError", (error) =>
      Effect.fail(usageError(error.message))
    )
  }
  yield* Effect.forEach(leftOut, (line) => context.writeError(`[WARNING] left out: ${line}\n`), { discard: true })
  yield* context.write(
    count === 0
      ? `${file}: nothing to take over.\n`
      : `${count} hook definition(s) of ${file} are now in ${target.file}.\nCheck them with gemini hooks list and gemini hooks test.\n`
  )
})

const readClaude = Effect.fnUntraced(function* (folder: string) {
  for (const name of FILES) {
    const file = join(folder, name)
    const content = readRegularFile(file, MAX_BYTES)
    if (content.kind === "missing") continue
    if (content.kind === "refused") return yield* usageError(`${file}: ${content.reason}`)
    const parsed = parseJsonc(content.text)
    if (parsed.kind === "broken") {
      const [fault] = parsed.faults
      return yield* usageError(`${file}:${fault?.line ?? 1}: ${fault?.message ?? "cannot be read"}`)
    }
    return { file, value: parsed.kind === "empty" ? {} : plainValue(parsed.root) }
  }
  return yield* usageError(`There is no ${FILES.join(" or ")} in ${folder}`, "Start it in a project that has one.")
})
