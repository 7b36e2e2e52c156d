/** `/directory`: the folders that the model may work in. One that is not trusted is asked about before it is opened. */
import { join, resolve } from "node:path"
import { Context, Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { Environment } from "../../config/environment.ts"
import { Settings } from "../../config/settings.ts"
import { realPathOf } from "../../config/settings-files.ts"
import { Storage } from "../../config/storage.ts"
import { isTrustedDirectory, saveTrust } from "../../config/trusted-folders-file.ts"
import { Workspace } from "../../files/workspace.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { SessionRecorder } from "../../session/record/session-recorder.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { type CommandError, failed, usageOf } from "../command-error.ts"
import { completeFolder } from "../completion/folder-completion.ts"

const workspaceOf = Effect.flatMap(LazyServices, ({ services }) =>
  Effect.map(services, (context) => Context.get(context, Workspace))
)

const show = Effect.fnUntraced(function* () {
  const roots = yield* Effect.flatMap(workspaceOf, ({ roots }) => roots)
  return print(roots.join("\n"), { directories: roots })
})

type Services = LazyServices | Settings | Storage | Environment | McpHub | Chat | ContextFiles | SessionRecorder

export const directory = slash<Services>({
  name: "directory",
  aliases: ["dir"],
  description: "Folders that the model may work in",
  run: show,
  subcommands: [
    slash<Services>({ name: "show", description: "List them", run: show }),
    slash<Services>({
      name: "add",
      description: "Add folders, separated by commas",
      usage: "<folder>[,<folder>...]",
      run: Effect.fnUntraced(function* ({ args }) {
        const { home } = yield* Environment
        const names = args.split(",").map((name) => name.trim())
        const wanted = names.filter((name) => name !== "").map((name) => withHome(name, home))
        if (wanted.length === 0) return yield* usageOf("directory add", "<folder>[,<folder>...]")
        return yield* addAll(wanted, [])
      }),
      complete: (typed) =>
        Effect.map(Environment, ({ cwd, home }) => completeFolder(typed, { cwd, home, separator: "," }))
    })
  ]
})

const withHome = (path: string, home: string | undefined): string =>
  /^~(?=\/|$)/.test(path) && home !== undefined ? join(home, path.slice(1)) : path

/** One after the other, because each may have to be asked about. */
const addAll = (
  [folder, ...rest]: ReadonlyArray<string>,
  told: ReadonlyArray<string>
): Effect.Effect<CommandResult, CommandError, Services> =>
  Effect.gen(function* () {
    if (folder === undefined) return print(told.join("\n"))
    // One that is not there is told of by the workspace; nobody is asked to trust it.
    if (!isFolder(yield* placeOf(folder)) || (yield* isTrusted(folder)))
      return yield* addAll(rest, [...told, yield* open(folder)])
    const services = yield* Effect.context<Services>()
    return {
      _tag: "Ask",
      question: {
        text: `${folder} is not trusted. Its files could mislead the model. Trust it and add it?`,
        choices: [
          { value: "yes", label: "Yes, trust it and add it" },
          { value: "no", label: "No, leave it out" }
        ],
        answer: (value) =>
          Effect.gen(function* () {
            if (value === "no") return yield* addAll(rest, [...told, `${folder}: left out.`])
            const { trustedFoldersFile } = yield* Storage
            yield* Effect.mapError(saveTrust(trustedFoldersFile, yield* placeOf(folder), "TRUST_FOLDER"), failed)
            return yield* addAll(rest, [...told, yield* open(folder)])
          }).pipe(Effect.provide(services))
      }
    } satisfies CommandResult as CommandResult
  })

/** The session remembers it. */
const open = Effect.fnUntraced(function* (folder: string) {
  const workspace = yield* workspaceOf
  const recorder = yield* SessionRecorder
  return yield* workspace.addRoot(folder).pipe(
    Effect.tap(recorder.addDirectory),
    Effect.tap(announce),
    Effect.map((real) => `Added ${real}.`),
    Effect.catchTag("FileError", (error) => Effect.succeed(`Not added: ${error.message}`))
  )
})

/** Policy, undo and files share one list of folders; servers and the model have to be told. */
const announce = Effect.fnUntraced(function* (root: string) {
  const hub = yield* McpHub
  const chat = yield* Chat
  const contextFiles = yield* ContextFiles
  yield* hub.rootsChanged
  const history = yield* chat.history
  // A conversation that has not begun opens with all folders and what their context files say.
  if (history.length === 0) return yield* contextFiles.reload
  const context = yield* contextFiles.contextFor([root])
  const text = [`The folder ${root} belongs to the workspace from now on.`, context].filter((part) => part !== "")
  yield* chat.replaceHistory([...history, { role: "user", parts: [{ text: text.join("\n\n") }] }])
})

const isTrusted = Effect.fnUntraced(function* (folder: string) {
  const config = { environment: yield* Environment, settings: yield* Settings, storage: yield* Storage }
  return yield* Effect.mapError(isTrustedDirectory(config, yield* placeOf(folder)), failed)
})

/** The real path, as rules of trust are about it. */
const placeOf = (folder: string) => Effect.map(Environment, ({ cwd }) => realPathOf(resolve(cwd, folder)))

const isFolder = (path: string): boolean => statOrNone(path)?.isDirectory() === true
