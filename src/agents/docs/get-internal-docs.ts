/** `get_internal_docs`: the program's own documentation, for the agent that answers questions about it. */

import { Effect, Schema } from "effect"
import { closestName } from "../../kernel/closest-name.ts"
import { lazy } from "../../kernel/lazy.ts"
import { defineTool, type Tool, ToolFailure } from "../../tools/tool.ts"
import type { LocalAgent } from "../agent.ts"

const NAME = "get_internal_docs"

/** Only for agents that name it: nobody else has a use for it. */
export const internalDocs = ({ tools }: LocalAgent): ReadonlyArray<Tool> =>
  tools?.includes(NAME) === true ? [tool] : []

const loadDocs = Effect.map(
  lazy(() => import("./embedded-docs.ts")),
  ({ embeddedDocs }) => embeddedDocs
)

const params = Schema.Struct({
  path: Schema.optional(
    Schema.String.annotations({ description: "A document of the list, such as README.md. Without it: the list." })
  )
})

const tool = defineTool({
  name: NAME,
  displayName: "GetInternalDocs",
  kind: "think",
  description: "Shows the documentation of this program: the list of documents, or one of them.",
  params,
  prepare: ({ path }) =>
    Effect.succeed({
      description: path ?? "all documents",
      locations: [],
      confirmation: Effect.succeed(null),
      run: () =>
        Effect.flatMap(loadDocs, (docs) => {
          const names = Object.keys(docs)
          if (path === undefined || path.trim() === "") return Effect.succeed(shown(`Documents:\n${names.join("\n")}`))
          const name = path.trim().replace(/^(?:\.?\/)?(?:docs\/)?/, "")
          const text = Object.hasOwn(docs, name) ? docs[name] : undefined
          return text === undefined ? Effect.fail(unknown(path, names)) : Effect.succeed(shown(text))
        })
    })
})

const shown = (text: string) => ({ forModel: text, display: { type: "text", text } as const })

const unknown = (path: string, names: ReadonlyArray<string>) => {
  const close = closestName(path, names)
  const meant = close === undefined ? "" : ` Did you mean ${close}?`
  return new ToolFailure({ type: "invalid_tool_params", message: `There is no document ${path}.${meant}` })
}
