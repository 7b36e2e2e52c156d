/** The conversation in a file: `/chat share` to give it away, `/export-session` with everything that was recorded. */
import { resolve } from "node:path"
import { Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { Environment } from "../../config/environment.ts"
import { exportText, formatOf } from "../../session/browse/export-session.ts"
import { shareChat, withoutContext } from "../../session/browse/share.ts"
import { readWholeSession } from "../../session/record/session-reader.ts"
import { SessionRecorder } from "../../session/record/session-recorder.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { print, slash } from "../command.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"
import { SessionFacts } from "../session-facts.ts"

const nothingYet = new CommandError({ kind: "failed", detail: "Nothing was said yet." })

export const share = slash<Chat | Environment | SessionFacts>({
  name: "share",
  description: "Write this conversation to a .md or .json file",
  usage: "[file]",
  run: Effect.fnUntraced(function* ({ args }) {
    const chat = yield* Chat
    const { cwd } = yield* Environment
    const facts = yield* SessionFacts
    const history = yield* chat.history
    if (withoutContext(history).length === 0) return yield* nothingYet
    const options = { cwd, file: args === "" ? undefined : args, history, secrets: yield* facts.secrets }
    const file = yield* Effect.mapError(shareChat(options), failed)
    return print(`The conversation is in ${file}.`, { file })
  })
})

export const exportSession = slash<SessionRecorder | Environment>({
  name: "export-session",
  description: "Write everything that was recorded of this session to a file",
  usage: "<file>",
  run: Effect.fnUntraced(function* ({ args }) {
    if (args === "") return yield* usageOf("export-session", "<file>")
    const recorder = yield* SessionRecorder
    const { cwd } = yield* Environment
    const recorded = yield* recorder.file
    if (recorded === undefined) return yield* nothingYet
    const file = resolve(cwd, args)
    const session = yield* Effect.mapError(readWholeSession(recorded), failed)
    const content = exportText(session, formatOf(file) ?? "json")
    yield* Effect.mapError(writeFileAtomic({ file, content, mode: 0o600 }), failed)
    return print(`The session is in ${file}. gemini --session-file goes on from it.`, { file })
  })
})
