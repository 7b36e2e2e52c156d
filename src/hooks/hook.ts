/**
 * One program of the user's, at one event: what it is, whose it is, and, where a project brings it, what a person
 * agrees to.
 */

import type { ProjectProgram } from "../config/programs/project-program.ts"
import { coverText } from "../system/environment-redaction.ts"
import type { FoundHooks } from "./find-hooks.ts"
import type { HookEvent } from "./hook-event.ts"

/** In the order in which they stand in a plan. */
export const HOOK_SCOPES = ["project", "user", "system", "extension"] as const
export type HookScope = (typeof HOOK_SCOPES)[number]

export interface HookSource {
  readonly scope: HookScope
  readonly file: string
  /** Absent where the reader of the file does not tell. */
  readonly line?: number | undefined
  /** The extension that brings it. */
  readonly extension?: string | undefined
}

export interface Hook {
  readonly event: HookEvent
  readonly command: string
  readonly name: string | undefined
  readonly description: string | undefined
  readonly matcher: string | undefined
  /** One hook that asks for it makes all hooks of the event run one after another. */
  readonly isSequential: boolean
  readonly timeoutMs: number
  /** Added last to the environment of its program; as written, references to variables are not expanded yet. */
  readonly env: Readonly<Record<string, string>>
  /** Variables that its extension brings; taken as they are. */
  readonly given: Readonly<Record<string, string>>
  /** A program that does not come to an answer counts as a refusal, where the event knows one. */
  readonly failsClosed: boolean
  /** `AfterModel`: called for every piece of an answer, not once for the whole. */
  readonly streams: boolean
  readonly source: HookSource
  /** Of the project: the fingerprint of the form that was accepted. In another one it does not run. */
  readonly accepted?: string | undefined
}

export const DEFAULT_TIMEOUT_MS = 60_000

/** What `hooksConfig.disabled` and `/hooks` know it by. */
export const nameOf = ({ command, name }: Pick<Hook, "command" | "name">): string => name ?? command

const LONGEST_NAME = 60

/** One short line, for messages: a hook without a name is its whole command. */
export const shownName = (hook: Pick<Hook, "command" | "name">): string => {
  const line = onOneLine(coverText(nameOf(hook)))
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME - 3)}...` : line
}

/** Spaces within a line stay: in a command they mean something. */
export const onOneLine = (text: string): string => text.trim().replace(/\s*[\r\n]\s*/g, " ")

export const placeOf = ({ file, line }: HookSource): string => (line === undefined ? file : `${file}:${line}`)

/** The same program given twice, as in the user's and the project's file. */
export const identityOf = ({ command, name }: Pick<Hook, "command" | "name">): string =>
  JSON.stringify([name ?? "", command])

/** Hooks of a project as programs that a person agrees to. */
export const hookPrograms = ({
  hooks,
  pending
}: Pick<FoundHooks, "hooks" | "pending">): ReadonlyArray<ProjectProgram> =>
  [...hooks, ...pending].flatMap((hook) =>
    hook.accepted === undefined
      ? []
      : [{ kind: "hook", what: describe(hook), place: placeOf(hook.source), fingerprint: hook.accepted }]
  )

const describe = (hook: Hook): string =>
  `hook ${hook.event}: ${hook.name === undefined ? hook.command : `${shownName(hook)}, which runs ${hook.command}`}`
