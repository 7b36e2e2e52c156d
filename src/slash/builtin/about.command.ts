/** `/about` and `/bug`: which program, which model, which surroundings, for people and for reports of faults. */
import { arch, release } from "node:os"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { controlsInForce } from "../../config/administrator.ts"
import { Environment } from "../../config/environment.ts"
import { FolderTrust } from "../../config/folder-trust.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { redactionOf } from "../../kernel/redact-secrets.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { failed } from "../command-error.ts"
import { SessionFacts } from "../session-facts.ts"
import { textTable } from "../text-table.ts"

export const about = slash({
  name: "about",
  description: "Version, model and surroundings",
  isConcurrent: true,
  run: Effect.fnUntraced(function* () {
    const facts = yield* aboutFacts
    const rows = Object.entries(facts).flatMap(([name, value]) =>
      value === null ? [] : [[LABELS[name] ?? name, value]]
    )
    return print(textTable(rows), facts)
  })
})

const LABELS: Readonly<Record<string, string>> = {
  version: "gemini",
  os: "System",
  sandbox: "Sandbox",
  model: "Model",
  auth: "Sign-in",
  account: "Account",
  tier: "Tier",
  administrator: "Administrator",
  project: "Cloud project",
  folder: "Folder",
  trust: "Trust",
  session: "Session"
}

/** `null` where there is nothing to say. */
export const aboutFacts = Effect.gen(function* () {
  const { account, authType, sessionId, version } = yield* SessionFacts
  const environment = yield* Environment
  const model = yield* SelectedModel
  const { trust } = yield* FolderTrust
  return {
    version,
    os: `${environment.platform} ${arch()} ${release()}`,
    sandbox: environment.get("SANDBOX") || "none",
    model: yield* model.get,
    auth: authType ?? "none",
    account: account?.email ?? null,
    tier: account === undefined ? null : (account.tierName ?? account.tier),
    project:
      account?.project || environment.get("GOOGLE_CLOUD_PROJECT") || environment.get("GOOGLE_CLOUD_PROJECT_ID") || null,
    administrator: controlsInForce(yield* Settings).join("; ") || null,
    folder: environment.cwd,
    trust,
    session: String(sessionId)
  }
})

/**
 * `/bug`: everything that a report of a fault needs, as text to paste and as a link where the settings name a tracker.
 * The conversation goes into a file for the person to attach. Nothing is sent.
 */
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
