/** What the program does for an editor beyond translating: sessions are opened, listed and deleted, people sign in. */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Context, Effect, Either, Ref, type Scope } from "effect"
import type { Chat } from "../chat/chat.ts"
import type { SessionStats } from "../chat/stats/session-stats.ts"
import { removeSetting, storeSetting } from "../config/edit-settings.ts"
import type { LoadedConfig } from "../config/load.ts"
import { knownProjects } from "../config/project-registry.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { realPathOf } from "../config/settings-files.ts"
import type { StorageView } from "../config/storage.ts"
import type { Hooks } from "../hooks/hooks.ts"
import type { McpHub } from "../mcp/mcp-hub.ts"
import type { SelectedModel } from "../model/selected-model.ts"
import type { Policy } from "../policy/policy.ts"
import { AuthType } from "../protocol/modes.ts"
import { deleteSession } from "../session/browse/delete-session.ts"
import { listSessions, sessionsOfId } from "../session/browse/session-list.ts"
import type { MessageRecord } from "../session/record/session-record.ts"
import type { KnownModelServices } from "../slash/builtin/model.command.ts"
import type { CommandRegistry } from "../slash/command-registry.ts"
import type { PromptExpansion } from "../slash/prompt-expansion.ts"
import type { Person } from "../tools/from-config.ts"
import type { ToolRegistry } from "../tools/registry.ts"
import { EditorFault, FAULT, invalidParams, sessionNotFound } from "./editor-fault.ts"

/** What a session of an editor is made of: the same services as everywhere. */
export type SessionServices =
  | Chat
  | Policy
  | SelectedModel
  | SessionStats
  | CommandRegistry
  | PromptExpansion
  | McpHub
  | Hooks
  | ToolRegistry
  | KnownModelServices

export interface OpenRequest {
  readonly sessionId: string
  /** Go on with the recorded session of this id; otherwise a new one begins. */
  readonly isRecorded: boolean
  /** Absolute. */
  readonly cwd: string
  readonly directories: ReadonlyArray<string>
  /** Those that the editor names, by name. */
  readonly servers: Readonly<Record<string, McpServer>>
  /** Who is asked, once the settings of the folder are known. */
  readonly person: (config: LoadedConfig) => Person
}

export interface OpenedEditorSession {
  readonly config: LoadedConfig
  readonly services: Context.Context<SessionServices>
  readonly recorded: ReadonlyArray<MessageRecord>
}

export interface ListedSession {
  readonly sessionId: string
  readonly cwd: string
  readonly title: string
  readonly updatedAt: string
}

/** Credentials that an editor gives; they hold for this process and are never stored. */
export interface GivenCredentials {
  readonly apiKey: string | undefined
  readonly gateway:
    | {
        readonly baseUrl?: string | undefined
        readonly headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

export interface EditorHost {
  readonly version: string
  /** The session lives as long as its scope. */
  readonly open: (request: OpenRequest) => Effect.Effect<OpenedEditorSession, EditorFault, Scope.Scope>
  /** The newest first; all folders where none is named. */
  readonly list: (cwd: string | undefined) => Effect.Effect<ReadonlyArray<ListedSession>, EditorFault>
  readonly deleteSession: (sessionId: string) => Effect.Effect<void, EditorFault>
  readonly authenticate: (methodId: string, given: GivenCredentials) => Effect.Effect<void, EditorFault>
  readonly logOut: Effect.Effect<void, EditorFault>
}

/** Variables that stand for what was given, as if the program had been started with them. */
type GivenVariables = Readonly<Record<string, string>>

/** Signing in from an editor. What it gives holds for this process; only the chosen way is remembered. */
export const makeCredentials = Effect.fnUntraced(function* ({ settings, storage }: LoadedConfig) {
  const given = yield* Ref.make<GivenVariables>({})
  const chosen = yield* Ref.make(settings.get("security.auth.selectedType"))
  const target = { scope: "user", file: storage.userSettingsFile } as const
  const path = { key: "security.auth.selectedType", inside: [] } as const

  const authenticate: EditorHost["authenticate"] = Effect.fn("Editor.authenticate")(function* (methodId, credentials) {
    if (!isKnown(methodId)) return yield* invalidParams(`Unknown authentication method: ${methodId}`)
    const variables = yield* variablesOf(credentials)
    yield* Effect.mapError(storeSetting(target, path, methodId), notStored)
    // Credentials of another way to sign in must not be used by mistake.
    if ((yield* Ref.getAndSet(chosen, methodId)) !== methodId) rmSync(storage.oauthCredentialsFile, { force: true })
    yield* Ref.update(given, (before) => ({ ...before, ...variables }))
  })

  const logOut: EditorHost["logOut"] = Effect.gen(function* () {
    yield* Effect.mapError(removeSetting(target, path), notStored)
    rmSync(storage.oauthCredentialsFile, { force: true })
    yield* Ref.set(given, {})
  })

  return { given, authenticate, logOut }
})

const isKnown = (methodId: string): boolean =>
  methodId === "cloud-shell" || AuthType.literals.some((literal) => literal === methodId)

const variablesOf = ({ apiKey, gateway }: GivenCredentials): Effect.Effect<GivenVariables, EditorFault> => {
  const { baseUrl, headers } = gateway ?? {}
  if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl)) {
    return invalidParams(`The gateway's baseUrl is not an http or https address: ${baseUrl}`)
  }
  return Effect.succeed({
    ...(apiKey === undefined ? {} : { GEMINI_API_KEY: apiKey }),
    ...(baseUrl === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: baseUrl }),
    ...(headers === undefined ? {} : { GEMINI_CLI_CUSTOM_HEADERS: headerText(headers) })
  })
}

const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")

const notStored = ({ message }: Error) =>
  new EditorFault({
    code: FAULT.internal,
    message: "The chosen way to sign in was not stored",
    data: { details: message }
  })

/**
 * The recorded sessions that an editor can list and delete: of one folder, or of all that the user has worked in.
 */
export const recordedSessions = (
  storage: Pick<StorageView, "userDir" | "tempDir">
): Pick<EditorHost, "list" | "deleteSession"> => {
  const projectsIn = (cwd: string | undefined) => {
    const wanted =
      cwd === undefined
        ? undefined
        : Either.getOrElse(
            Either.try(() => realPathOf(cwd)),
            () => cwd
          )
    return knownProjects(storage.userDir).filter(({ project }) => wanted === undefined || project === wanted)
  }
  return {
    list: Effect.fn("Acp.list")(function* (cwd) {
      const found = yield* Effect.forEach(projectsIn(cwd), ({ project, slug }) =>
        Effect.map(listSessions(join(storage.tempDir, slug)), (entries) =>
          entries.map(
            ({ id, lastUpdated, title }): ListedSession => ({
              sessionId: id,
              cwd: project,
              title,
              updatedAt: lastUpdated
            })
          )
        )
      )
      return found.flat().toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
    }),
    deleteSession: Effect.fn("Acp.delete")(function* (sessionId) {
      for (const { slug } of projectsIn(undefined)) {
        const folder = join(storage.tempDir, slug)
        const [entry] = yield* sessionsOfId(folder, sessionId)
        if (entry === undefined) continue
        return yield* Effect.mapError(deleteSession(folder, entry), ({ message }) => invalidParams(message))
      }
      return yield* sessionNotFound(sessionId, FAULT.notFound)
    })
  }
}
