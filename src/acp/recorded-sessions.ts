/** The recorded sessions that an editor can list and delete: of one folder, or of all that the user has worked in. */
import { join } from "node:path"
import { Effect, Either } from "effect"
import { knownProjects } from "../config/project-registry.ts"
import { realPathOf } from "../config/settings-files.ts"
import type { StorageView } from "../config/storage.ts"
import { deleteSession } from "../session/browse/delete-session.ts"
import { listSessions, sessionsOfId } from "../session/browse/session-list.ts"
import { FAULT, invalidParams, sessionNotFound } from "./editor-fault.ts"
import type { EditorHost, ListedSession } from "./editor-host.ts"

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
