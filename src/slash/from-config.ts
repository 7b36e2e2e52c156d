/** What a line can ask for beside prompts: slash commands, references to files, shell commands. */
import { join } from "node:path"
import { Effect, Layer, Ref } from "effect"
import * as SessionStats from "../chat/stats/session-stats.ts"
import { Extensions } from "../extensions/extensions.ts"
import type { McpPrompt } from "../mcp/listing.ts"
import { McpHub } from "../mcp/mcp-hub.ts"
import { undoLayer } from "../session/undo/undo-layer.ts"
import * as PromptExpansion from "./at/prompt-expansion-layer.ts"
import { CommandRegistry } from "./command-registry.ts"
import * as RegistryLayer from "./command-registry-layer.ts"
import { promptCommands } from "./mcp/prompt-commands.ts"
import * as ShellLine from "./shell/shell-line-layer.ts"
import { type SkillServices, skillCommands } from "./skills/skill-commands.ts"

/** Prompts of servers are read anew whenever a server has others. */
const followPrompts = Effect.gen(function* () {
  const hub = yield* McpHub
  const registry = yield* CommandRegistry
  const known = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<McpPrompt>>>(new Map())
  yield* hub.follow(
    Effect.fnUntraced(function* ({ name, prompts }) {
      const before = (yield* Ref.getAndUpdate(known, (all) => new Map(all).set(name, prompts))).get(name) ?? []
      if (before !== prompts && before.length + prompts.length > 0) yield* registry.reload
    })
  )
})

/** Skills come before prompts of servers. */
const discover = Effect.zipWith(skillCommands, promptCommands, (skills, prompts) => ({
  commands: [...skills.commands, ...prompts.commands],
  notices: [...skills.notices, ...prompts.notices]
}))

const registryLayer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const context = yield* Effect.context<McpHub | SkillServices>()
    const { enabled } = yield* Extensions
    return Layer.effectDiscard(followPrompts).pipe(
      Layer.provideMerge(
        RegistryLayer.layer({
          discover: Effect.provide(discover, context),
          extensionFolders: enabled.map(({ id, name, path }) => ({
            extension: name,
            id,
            folder: join(path, "commands")
          }))
        })
      )
    )
  })
)

export const layer = Layer.mergeAll(registryLayer, PromptExpansion.layer, ShellLine.layer).pipe(
  Layer.provideMerge(SessionStats.layer),
  Layer.provide(undoLayer)
)
