/**
 * Which agents of a project the user has agreed to: `~/.gemini/acknowledgments/agents.json`, by project and name, with
 * the fingerprint of what was agreed to. A changed agent has to be agreed to again.
 */
import { Effect, Option, Schema } from "effect"
import { changeOwnFile } from "../config/own-file.ts"
import { readRegularFile } from "../system/regular-file.ts"

/** Fingerprints by name. */
export type AgreedAgents = Readonly<Record<string, string>>

const Store = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Schema.String }) })
)
type Store = typeof Store.Type

const MAX_BYTES = 4 * 1024 * 1024

/** An unreadable store means that nothing was agreed to. */
export const agreedIn = (file: string, project: string): AgreedAgents => {
  const store = read(file)
  return Object.hasOwn(store, project) ? (store[project] ?? {}) : {}
}

export const isAgreed = (
  agreed: AgreedAgents,
  { fingerprint, name }: { readonly name: string; readonly fingerprint: string }
) => Object.hasOwn(agreed, name) && agreed[name] === fingerprint

/** Adds to what was agreed to before. */
export const agree = Effect.fn("Agents.agree")((file: string, project: string, added: AgreedAgents) =>
  changeOwnFile(file, () => {
    const next: Store = { ...read(file), [project]: { ...agreedIn(file, project), ...added } }
    return `${JSON.stringify(next, null, 2)}\n`
  })
)

const read = (file: string): Store => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return {}
  return Option.getOrElse(Schema.decodeUnknownOption(Store)(content.text), () => ({}))
}
