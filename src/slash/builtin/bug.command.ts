/**
 * `/bug`: everything that a report of a fault needs, as text to paste and as a link where the settings name a tracker.
 * The conversation goes into a file for the person to attach. Nothing is sent.
 */
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { redactionOf } from "../../kernel/redact-secrets.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { failed } from "../command-error.ts"
import { SessionFacts } from "../session-facts.ts"
import { textTable } from "../text-table.ts"
import { aboutFacts } from "./about.command.ts"

export const bug = slash({
  name: "bug",
  description: "Prepare a report of a fault",
  usage: "<title>",
  run: Effect.fnUntraced(function* ({ args, isInteractive }) {
    const settings = yield* Settings
    const facts = yield* aboutFacts
    const memory = `${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MB`
    const { folder: _, ...shared } = { ...facts, memory }
    const info = textTable(Object.entries(shared).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
    const file = yield* saveConversation
    const attach = file === undefined ? [] : [`The conversation is in ${file}: attach it if you want to share it.`]
    const template = settings.get("advanced.bugCommand")?.urlTemplate
    if (template === undefined) {
      return print([`Title: ${args || "(none)"}`, info, ...attach].join("\n"), { title: args, ...shared, file })
    }
    const url = template
      .replaceAll("{title}", () => encodeURIComponent(args))
      .replaceAll("{info}", () => encodeURIComponent(info))
    const told = [...attach, "Report it at:"].join("\n")
    return isInteractive
      ? ({ _tag: "OpenUrl", url, told } satisfies CommandResult as CommandResult)
      : print(`${told}\n${url}`, { title: args, ...shared, file, url })
  })
})

const saveConversation = Effect.gen(function* () {
  const chat = yield* Chat
  const storage = yield* Storage
  const history = yield* chat.history
  if (history.length === 0) return undefined
  const folder = yield* Effect.mapError(storage.projectTempDir, failed)
  const file = join(folder, `bug-report-history-${yield* Clock.currentTimeMillis}.json`)
  const facts = yield* SessionFacts
  const content = redactionOf(yield* facts.secrets)(JSON.stringify(history, null, 2))
  yield* Effect.mapError(writeFileAtomic({ file, content, mode: 0o600 }), failed)
  return file
})
