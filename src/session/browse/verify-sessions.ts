/** Checks session files and says what is wrong with each; nothing is changed. */
import { basename } from "node:path"
import { Effect, Either } from "effect"
import { callsIn } from "../record/message-content.ts"
import { modelHistory } from "../record/model-history.ts"
import { problemText } from "../record/session-index.ts"
import { mayHold } from "../record/session-name.ts"
import { readWholeSession } from "../record/session-reader.ts"
import { sessionFiles } from "./session-list.ts"

export interface Verified {
  readonly file: string
  /** Absent where the file is no session. */
  readonly id: string | undefined
  readonly messageCount: number
  readonly problems: ReadonlyArray<string>
}

/** `only`: these files; otherwise all of the project. */
export const verifySessions = (
  tempDir: string,
  { only, projectHash }: { readonly only?: ReadonlyArray<string> | undefined; readonly projectHash: string }
): Effect.Effect<ReadonlyArray<Verified>> =>
  Effect.forEach(only ?? sessionFiles(tempDir), (file) => verifyFile(file, projectHash))

const verifyFile = Effect.fnUntraced(function* (file: string, projectHash: string) {
  const session = yield* Effect.either(readWholeSession(file))
  if (Either.isLeft(session)) {
    return { file, id: undefined, messageCount: 0, problems: [session.left.reason] } satisfies Verified
  }
  const { messages, metadata, problems } = session.right
  const history = modelHistory(messages)
  const answered = new Set(
    history.flatMap(({ parts }) => parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []))
  )
  const open = history.slice(0, -1).flatMap((content) => callsIn(content).filter(({ id }) => !answered.has(id ?? "")))
  return {
    file,
    id: metadata.sessionId,
    messageCount: messages.length,
    problems: [
      ...problems.map(problemText),
      ...(mayHold(basename(file), metadata.sessionId) ? [] : ["the name of the file belongs to another session"]),
      ...(metadata.projectHash === projectHash ? [] : ["it was recorded in another folder"]),
      ...(open.length === 0 ? [] : [`${open.length} tool call(s) have no result`])
    ]
  } satisfies Verified
})
