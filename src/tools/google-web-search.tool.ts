/** The `google_web_search` tool: a question answered from the web by a grounded model, with its sources. */
import { Effect, Schema } from "effect"
import type { ModelClient } from "../model/model-client.ts"
import { answerText } from "../model/utility-call.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import { defineTool, type PreparedCall, ToolFailure } from "./tool.ts"
import { askUtility } from "./web/ask-utility.ts"
import { groundingOf, withCitations } from "./web/citations.ts"

const Params = Schema.Struct({
  query: Schema.String.annotations({ description: "What to search for, in natural language." })
})

export const googleWebSearch = defineTool({
  name: "google_web_search",
  classNames: ["WebSearchTool"],
  displayName: "GoogleSearch",
  kind: "search",
  description:
    "Searches the web with Google and answers from what is found, with numbered citations and a list of the sources.",
  params: Params,
  prepare: Effect.fnUntraced(function* ({ query }) {
    if (query.trim() === "") {
      return yield* new ToolFailure({ type: "invalid_tool_params", message: "The query is empty." })
    }
    const title = `Search the web for: "${query}"`
    const call: PreparedCall<ModelClient | UtilityModels> = {
      description: title,
      locations: [],
      confirmation: Effect.succeed({ type: "info", title: "Search the web?", prompt: title, urls: [] }),
      run: () => search(query)
    }
    return call
  })
})

const search = Effect.fnUntraced(function* (query: string) {
  const answer = yield* askUtility("web-search", query).pipe(
    Effect.mapError(
      (error) =>
        new ToolFailure({
          type: "web_search_failed",
          message: `The web search for "${query}" failed: ${error.message}`
        })
    )
  )
  const text = answerText(answer).trim()
  const grounding = groundingOf(answer)
  if (text === "") {
    const nothing = `The web search for "${query}" found nothing.`
    return { forModel: nothing, display: { type: "text", text: nothing } as const }
  }
  return {
    forModel: `Web search results for "${query}":\n\n${withCitations(text, grounding)}`,
    display: { type: "text", text: `Search results for "${query}" returned.` } as const,
    data: { sources: grounding.groundingChunks ?? [] }
  }
})
