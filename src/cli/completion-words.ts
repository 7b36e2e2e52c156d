/**
 * What may stand in a place of the command line where that is not known beforehand: names of this machine and of this
 * folder. Completion scripts ask for it; what cannot be read has no words.
 */
import { Effect, SchemaAST } from "effect"
import { typeFromEnvironment } from "../auth/select-auth.ts"
import { type LoadedConfig, loadConfig } from "../config/load.ts"
import { isSettingKey, settingKeys, settingRow } from "../config/setting-table.ts"
import { listExtensions } from "../extensions/list-extensions.ts"
import { loadExtensions } from "../extensions/load-extensions.ts"
import { HOOK_EVENTS } from "../hooks/hook-event.ts"
import { oneLine } from "../kernel/one-line.ts"
import { configuredServers } from "../mcp/configured-servers.ts"
import { knownModels } from "../model/known-models.ts"
import { listSessions } from "../session/browse/session-list.ts"
import * as SkillsFromConfig from "../skills/from-config.ts"
import { builtinCatalogue } from "../tools/generated/declarations.ts"
import { CliContext } from "./cli-context.ts"
import { topics } from "./generated/subcommands.ts"

/** A word, and what it is in a few others; those are shown by zsh and fish. */
type Word = readonly [word: string, hint?: string]
type Words = Effect.Effect<ReadonlyArray<Word>, unknown, CliContext>

const WORD_KINDS = [
  "models",
  "sessions",
  "settings",
  "values",
  "servers",
  "extensions",
  "skills",
  "tools",
  "hook-events",
  "topics"
] as const
export type WordKind = (typeof WORD_KINDS)[number]

const wordsOf: Readonly<Record<WordKind, (config: LoadedConfig, key: string) => Words>> = {
  models: ({ environment, settings }) => {
    const models = knownModels(settings, typeFromEnvironment(environment.variables) ?? "gemini-api-key")
    return Effect.succeed([
      ...models.flatMap(({ aliases, id }) => aliases.map((alias): Word => [alias, id])),
      ...models.map(({ id }): Word => [id])
    ])
  },
  sessions: ({ storage }) => {
    const tempDir = storage.knownProjectTempDir()
    if (tempDir === undefined) return Effect.succeed([])
    return Effect.map(listSessions(tempDir), (sessions) => sessions.toReversed().map(({ id, title }) => [id, title]))
  },
  settings: () => Effect.succeed(settingKeys().map((key) => [key, settingRow(key).description])),
  values: (_, key) =>
    Effect.succeed(isSettingKey(key) ? literalsIn(settingRow(key).schema.ast).map((one) => [one]) : []),
  servers: (config) =>
    Effect.map(loadExtensions({ config }), ({ extensions }) =>
      Object.keys(configuredServers(config.settings, extensions).servers).map((name) => [name])
    ),
  extensions: (config) =>
    Effect.map(listExtensions(config), ({ reports }) =>
      reports.map(({ extension }): Word => [extension.name, extension.manifest.description ?? ""])
    ),
  skills: (config) =>
    loadExtensions({ config }).pipe(
      Effect.flatMap(({ extensions }) => SkillsFromConfig.make(config, extensions)),
      Effect.flatMap(({ all }) => all),
      Effect.map((skills) => skills.map(({ description, name }) => [name, description]))
    ),
  tools: () => Effect.succeed(builtinCatalogue.map(({ displayName, name }) => [name, displayName])),
  "hook-events": () => Effect.succeed(HOOK_EVENTS.map((event) => [event])),
  topics: () => Effect.succeed(topics.map((topic) => [topic]))
}

/** The words that a value of this form may be; none where it may be any. */
const literalsIn = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isBooleanKeyword(ast)) return ["true", "false"]
  if (SchemaAST.isLiteral(ast)) return [String(ast.literal)]
  if (SchemaAST.isRefinement(ast)) return literalsIn(ast.from)
  if (SchemaAST.isTransformation(ast)) return literalsIn(ast.from)
  return SchemaAST.isUnion(ast) ? [...new Set(ast.types.flatMap(literalsIn))] : []
}

const LONGEST_HINT = 80

const isKind = (name: string): name is WordKind => WORD_KINDS.some((kind) => kind === name)

/** One a line; what is said of it stands behind a tab. */
export const printWords = Effect.fnUntraced(function* (kind: string, key: string) {
  const context = yield* CliContext
  if (!isKind(kind)) return
  const flags = { skipTrust: false, ignoreEnv: false }
  const { cwd, env } = context
  const words = yield* loadConfig({ cwd, env, platform: process.platform, flags, tolerant: true }).pipe(
    Effect.flatMap((config) => wordsOf[kind](config, key)),
    Effect.catchAll(() => Effect.succeed<ReadonlyArray<Word>>([]))
  )
  const lines = words.map(([word, hint = ""]) => (hint === "" ? word : `${word}\t${oneLine(hint, LONGEST_HINT)}`))
  yield* context.write(lines.map((line) => `${line}\n`).join(""))
})
