/** The registry of a session: built-in commands, those that other rooms join, and those of files. */
import { dirname } from "node:path"
import { Context, Effect, Layer } from "effect"
import { Environment } from "../config/environment.ts"
import { FolderTrust } from "../config/folder-trust.ts"
import { Storage } from "../config/storage.ts"
import { projectBorder } from "../files/brought-file.ts"
import { builtinCommands, type SlashServices } from "./builtin/builtin-commands.ts"
import * as ViKeys from "./builtin/editor.command.ts"
import { type Command, provideCommand } from "./command.ts"
import * as Registry from "./command-registry.ts"
import { CommandRegistry, type DiscoveredCommands } from "./command-registry.ts"
import { layerAllowlist } from "./custom/check-commands.ts"
import { type CommandFolder, loadCommands } from "./custom/load-commands.ts"
import type { CustomServices } from "./custom/run-custom.ts"

export interface RegistryLayerOptions {
  /** Commands of higher rooms. */
  readonly joined?: ReadonlyArray<Command>
  /** Folders of TOML files that extensions bring, in order of their names. */
  readonly extensionFolders?: ReadonlyArray<{
    readonly extension: string
    readonly id: string
    readonly folder: string
  }>
  /** Commands that others find: prompts of servers, skills. They come before those of files. */
  readonly discover?: Effect.Effect<DiscoveredCommands>
}

export const layer = (options: RegistryLayerOptions = {}) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const storage = yield* Storage
      const { trust } = yield* FolderTrust
      const context = yield* Effect.context<Exclude<SlashServices, CommandRegistry> | CustomServices>()
      const { cwd, home } = yield* Environment
      const border = projectBorder(cwd, { home })
      const folders = commandFolders(storage, trust === "trusted" ? border : undefined, options.extensionFolders ?? [])
      return Registry.layer({
        builtins: (registry) => {
          const services = Effect.succeed(Context.add(context, CommandRegistry, registry))
          return [
            ...builtinCommands.map((command: Command<SlashServices>) => provideCommand(command, services)),
            ...(options.joined ?? [])
          ]
        },
        extensionIds: new Map((options.extensionFolders ?? []).map(({ extension, id }) => [extension, id])),
        discover: Effect.gen(function* () {
          const found = yield* options.discover ?? Effect.succeed<DiscoveredCommands>({ commands: [], notices: [] })
          const files = yield* loadCommands(folders, (command) => provideCommand(command, Effect.succeed(context)))
          return { commands: [...found.commands, ...files.commands], notices: [...found.notices, ...files.notices] }
        })
      })
    })
  ).pipe(Layer.provide(Layer.merge(layerAllowlist, ViKeys.layer)))

/** `border`: of the project; absent where it is not trusted, which brings none then. In the home folder its files are the user's. */
export const commandFolders = (
  { projectDir, userCommandsDir, userDir }: Pick<Storage["Type"], "projectDir" | "userCommandsDir" | "userDir">,
  border: string | undefined,
  extensions: ReadonlyArray<{ readonly extension: string; readonly folder: string }>
): ReadonlyArray<CommandFolder> => [
  { folder: userCommandsDir, sourceOf: (file) => ({ _tag: "File", scope: "user", file }) },
  ...(border !== undefined && projectDir !== userDir
    ? [
        {
          folder: `${projectDir}/commands`,
          border,
          sourceOf: (file: string) => ({ _tag: "File", scope: "workspace", file }) as const
        }
      ]
    : []),
  ...extensions.map(({ extension, folder }) => ({
    folder,
    border: dirname(folder),
    sourceOf: (file: string) => ({ _tag: "Extension", extension, file }) as const
  }))
]
