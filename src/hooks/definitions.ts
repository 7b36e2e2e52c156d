/**
 * Hooks as they are written down, in settings, in `hooks.toml` or in an extension, brought to one form. A faulty one is
 * left out and told with its place; the others count.
 */
import { Either, ParseResult, Predicate, Schema } from "effect"
import { HookDefinition } from "../config/setting-schema/hook-definition.ts"
import type { Scope, SettingsView } from "../config/settings.ts"
import { unknownFields } from "../config/unknown-fields.ts"
import { closestName } from "../kernel/closest-name.ts"
import type { ExtensionParts } from "../protocol/run-facts.ts"
import { DEFAULT_TIMEOUT_MS, type Hook, type HookScope, type HookSource } from "./hook.ts"
import { HOOK_EVENTS, type HookEvent, isHookEvent } from "./hook-event.ts"

export interface Definitions {
  readonly hooks: ReadonlyArray<Hook>
  /** One line each, beginning with the place. */
  readonly problems: ReadonlyArray<string>
}

export const NO_DEFINITIONS: Definitions = { hooks: [], problems: [] }

export const joined = (all: ReadonlyArray<Definitions>): Definitions => ({
  hooks: all.flatMap(({ hooks }) => hooks),
  problems: all.flatMap(({ problems }) => problems)
})

const SCOPES: Readonly<Record<Scope, HookScope>> = {
  "system-defaults": "system",
  system: "system",
  user: "user",
  workspace: "project"
}

/** Each from the file that really says it. What is wrong in them was told when the settings were read. */
export const fromSettings = (settings: SettingsView): ReadonlyArray<Hook> =>
  HOOK_EVENTS.flatMap((event) =>
    settings
      .explain(`hooks.${event}`)
      .sources.filter(({ used, value }) => used && value !== null)
      .flatMap(({ file, line, scope, value }) => {
        // Decoded by the schema of its row when the settings were read; doing it again would cost every run.
        const definitions = value as ReadonlyArray<HookDefinition>
        return definitions.flatMap((one) => hooksOf(event, one, { scope: SCOPES[scope], file, line }))
      })
  )

/** Where one definition of an event stands; `index` counts the definitions of that event. */
export type PlaceOf = (event: string, index: number) => number | undefined

/** The value of `hooks` in a file: definitions by event, one or a list of them. */
export const fromTable = (table: unknown, source: HookSource, lineOf?: PlaceOf): Definitions => {
  const at = (line: number | undefined) => (line === undefined ? source.file : `${source.file}:${line}`)
  if (!Predicate.isReadonlyRecord(table)) {
    return table === undefined
      ? NO_DEFINITIONS
      : { hooks: [], problems: [`${at(source.line)}: hooks must be a table of events`] }
  }
  const hooks: Array<Hook> = []
  const problems: Array<string> = []
  for (const [event, written] of Object.entries(table)) {
    if (!isHookEvent(event)) {
      problems.push(`${at(lineOf?.(event, 0))}: ${unknownEvent(event)}`)
      continue
    }
    for (const [index, element] of elementsOf(written).entries()) {
      const line = lineOf?.(event, index)
      Either.match(decode(element), {
        onLeft: (fault) => void problems.push(`${at(line)}: hooks.${event}: ${fault}; ignored`),
        onRight: (one) => {
          hooks.push(...hooksOf(event, one, { ...source, line }))
          for (const { message, path } of unknownFields(HookDefinition.ast, element)) {
            problems.push(`${at(line)}: hooks.${event}.${path.map(String).join(".")}: ${message}; ignored`)
          }
        }
      })
    }
  }
  return { hooks, problems }
}

export const fromExtensions = (extensions: ReadonlyArray<ExtensionParts>): Definitions =>
  joined(
    extensions.map(({ environment, hooks, hooksFile, name }) => {
      const source: HookSource = { scope: "extension", file: hooksFile, extension: name }
      const read = fromTable(hooks, source)
      return { ...read, hooks: read.hooks.map((hook) => ({ ...hook, given: environment })) }
    })
  )

const elementsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** The first fault is enough to find the mistake. */
const decode = (element: unknown): Either.Either<HookDefinition, string> =>
  Either.mapLeft(Schema.decodeUnknownEither(HookDefinition)(element), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    const path = (issue?.path ?? []).map(String).join(".")
    return `${path === "" ? "" : `${path}: `}${issue?.message ?? "is not a hook definition"}`
  })

const hooksOf = (
  event: HookEvent,
  { hooks, matcher, sequential }: HookDefinition,
  source: HookSource
): ReadonlyArray<Hook> =>
  hooks.map(({ command, description, env, failClosed, name, stream, timeout }) => ({
    event,
    command,
    name: name === "" ? undefined : name,
    description,
    matcher,
    isSequential: sequential === true,
    timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
    env: env ?? {},
    given: {},
    failsClosed: failClosed === true,
    streams: stream === true,
    source
  }))

const unknownEvent = (event: string): string => {
  const near = closestName(event, HOOK_EVENTS)
  return `there is no hook event ${event}; ignored${near === undefined ? "" : ` (did you mean ${near}?)`}`
}
