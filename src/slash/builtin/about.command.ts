/** `/about`: which program, which model, which surroundings. For people, and for reports of faults. */
import { arch, release } from "node:os"
import { Effect } from "effect"
import { controlsInForce } from "../../config/administrator.ts"
import { Environment } from "../../config/environment.ts"
import { FolderTrust } from "../../config/folder-trust.ts"
import { Settings } from "../../config/settings.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import { print, slash } from "../command.ts"
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
