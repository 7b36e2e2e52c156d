/** References resolved against the workspace of the session, with the services that its tools use. */
import { Effect, Layer } from "effect"
import { Agents } from "../../agents/agents.ts"
import { Settings } from "../../config/settings.ts"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { makePathCompletion } from "../completion/path-completion.ts"
import { PromptExpansion } from "../prompt-expansion.ts"
import { expandPrompt } from "./expand-prompt.ts"
import { escapedPath, referenceAt } from "./references.ts"
import { resourceReader, resourcesLike } from "./resources.ts"

export const layer = Layer.effect(
  PromptExpansion,
  Effect.gen(function* () {
    const settings = yield* Settings
    const { services } = yield* LazyServices
    const agents = yield* Agents
    const contexts = yield* ContextFiles
    const hub = yield* McpHub
    const readResource = resourceReader(hub)
    const isRecursive = settings.get("context.fileFiltering.enableRecursiveFileSearch")
    const isFuzzy = settings.get("context.fileFiltering.enableFuzzySearch")
    const paths = yield* cachedOnce(
      Effect.flatMap(services, (context) => Effect.provide(makePathCompletion({ isFuzzy, isRecursive }), context))
    )
    return PromptExpansion.of({
      expand: Effect.fn("PromptExpansion.expand")(function* (prompt, { before, mayRead } = {}) {
        const context = yield* services
        return yield* expandPrompt(prompt, {
          isRecursive,
          mayRead: mayRead ?? (() => Effect.succeed(false)),
          readResource,
          agents: yield* agents.names,
          before
        }).pipe(Effect.provideService(ContextFiles, contexts), Effect.provide(context))
      }),
      prepare: Effect.flatMap(paths, ({ prepare }) => prepare),
      complete: Effect.fn("PromptExpansion.complete")(function* (text, cursor) {
        const reference = referenceAt(text, cursor)
        if (reference === undefined) return undefined
        const { candidates } = yield* paths
        const resources = resourcesLike(reference.typed, yield* hub.servers)
        const named = (yield* agents.names).filter((name) => name.startsWith(reference.typed))
        // A name with a scheme is none of a file.
        const found = resources.length > 0 && reference.typed.includes(":") ? [] : yield* candidates(reference.typed)
        return {
          from: reference.from,
          candidates: [
            ...named.map((value) => ({ value, hint: "agent" })),
            ...found.map((path) => ({ value: escapedPath(path) })),
            ...resources
          ]
        }
      })
    })
  })
)
