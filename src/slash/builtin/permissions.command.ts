/** `/permissions`: whether a folder is trusted. What a folder may do changes with the answer, so the session is built anew. */
import { join } from "node:path"
import { Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import { FolderTrust, type TrustLevel, type TrustReason } from "../../config/folder-trust.ts"
import { Settings } from "../../config/settings.ts"
import { realPathOf } from "../../config/settings-files.ts"
import { Storage } from "../../config/storage.ts"
import { readTrustedFolders, saveTrust } from "../../config/trusted-folders-file.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { failed } from "../command-error.ts"
import { completeFolder } from "../completion/folder-completion.ts"
import { textTable } from "../text-table.ts"

type Services = Environment | Settings | Storage | FolderTrust

const CHOICES: ReadonlyArray<{ readonly value: TrustLevel; readonly label: string }> = [
  { value: "TRUST_FOLDER", label: "Trust it" },
  { value: "TRUST_PARENT", label: "Trust the folder above it, and all in there" },
  { value: "DO_NOT_TRUST", label: "Do not trust it" }
]

const trust = Effect.fnUntraced(function* ({ args }: { readonly args: string }) {
  const settings = yield* Settings
  const services = yield* Effect.context<Services>()
  if (!settings.get("security.folderTrust.enabled")) {
    return print("Folder trust is switched off (security.folderTrust.enabled): every folder counts as trusted.")
  }
  const { cwd, home } = yield* Environment
  const { reason, trust: present } = yield* FolderTrust
  const folder = realPathOf(join(args === "" || !/^[/~]/.test(args) ? cwd : "", args.replace(/^~/, home ?? "~")))
  const now = folder === cwd ? ` It counts as ${present} now${reason === "rule" ? "" : ` (${reason})`}.` : ""
  return {
    _tag: "Ask",
    question: {
      text: `${folder}: trusted folders may bring settings, commands, servers and context files.${now}`,
      choices: CHOICES,
      answer: (value) => Effect.provide(store(folder, value), services)
    }
  } satisfies CommandResult as CommandResult
})

const WHY: Readonly<Record<TrustReason, string>> = {
  flag: "by --skip-trust",
  variable: "by GEMINI_CLI_TRUST_WORKSPACE",
  editor: "because your editor says so",
  "feature-off": "because folder trust is switched off (security.folderTrust.enabled)",
  rule: "by a rule",
  "no-rule": "because no rule covers it"
}

const LEVELS: Readonly<Record<TrustLevel, string>> = {
  TRUST_FOLDER: "trusted",
  TRUST_PARENT: "trusted, with the folder above it",
  DO_NOT_TRUST: "not trusted"
}

/** The present state, and every rule that there is. */
const show = Effect.fnUntraced(function* () {
  const { cwd } = yield* Environment
  const { reason, rule, trust: present } = yield* FolderTrust
  const { trustedFoldersFile } = yield* Storage
  const found = yield* Effect.mapError(readTrustedFolders(trustedFoldersFile), failed)
  const rules = found.map(({ level, path }) => ({ path, level }))
  const because = rule === undefined ? WHY[reason] : `by the rule for ${rule.path}`
  const rows = rules.map(({ level, path }) => [path, LEVELS[level]])
  const lines = [
    `${cwd} is ${present} ${because}.`,
    rows.length === 0 ? `No rules in ${trustedFoldersFile} yet.` : `Rules in ${trustedFoldersFile}:`,
    ...(rows.length === 0 ? [] : [textTable(rows, "  ")]),
    "/permissions trust [folder] changes one."
  ]
  return print(lines.join("\n"), { folder: cwd, trust: present, reason, file: trustedFoldersFile, rules })
})

const store = Effect.fnUntraced(function* (folder: string, value: string) {
  const { trustedFoldersFile } = yield* Storage
  const { cwd } = yield* Environment
  const level = CHOICES.find((choice) => choice.value === value)?.value ?? "DO_NOT_TRUST"
  yield* saveTrust(trustedFoldersFile, folder, level).pipe(Effect.mapError(failed))
  const told = `${folder}: ${level} is stored in ${trustedFoldersFile}.`
  const isHere = `${cwd}/`.startsWith(`${level === "TRUST_PARENT" ? join(folder, "..") : folder}/`)
  return (isHere ? { _tag: "Reconfigure", told } : print(told)) satisfies CommandResult as CommandResult
})

export const permissions = slash<Services>({
  name: "permissions",
  description: "Which folders are trusted",
  run: show,
  subcommands: [
    slash<Services>({
      name: "trust",
      description: "Change the trust of a folder",
      usage: "[folder]",
      run: trust,
      complete: (typed) => Effect.map(Environment, ({ cwd, home }) => completeFolder(typed, { cwd, home }))
    })
  ]
})
