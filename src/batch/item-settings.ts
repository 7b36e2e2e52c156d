/** The configuration and the instruction of the items of a batch, from what its command line says. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import type { SettingKey } from "../config/setting-table.ts"
import type { SettingsView } from "../config/settings.ts"
import { service } from "../kernel/layers.ts"
import type { ModelClient, ModelRequest } from "../model/model-client.ts"
import { SystemPrompt } from "../prompt/system-prompt.ts"
import type { BatchRequest } from "./batch-request.ts"

/** Nothing but a question: no tools, and nothing of the project. */
export const isPlain = ({ context, tools = [] }: Pick<BatchRequest, "context" | "tools">): boolean =>
  !context && tools.length === 0

type Asked = Pick<BatchRequest, "context" | "tools" | "appendSystemPrompt">

/** The tools that the model is offered are those of the command line; a bare batch that names none has none. */
export const withItemTools = (config: LoadedConfig, { context, tools }: Asked): LoadedConfig => {
  const core = tools ?? (context ? undefined : [])
  return core === undefined ? config : { ...config, settings: withSetting(config.settings, "tools.core", core) }
}

const withSetting = (settings: SettingsView, key: SettingKey, value: unknown): SettingsView => {
  const get: SettingsView["get"] = (asked) =>
    // The one key whose value is given here has the type of its row.
    asked === key ? (value as ReturnType<typeof settings.get<typeof asked>>) : settings.get(asked)
  return { ...settings, get }
}

/**
 * An item without tools is a question and nothing else: no word about an agent and its surroundings, which would be paid
 * for a thousand times and make each request another one.
 */
export const itemInstruction = (asked: Asked) =>
  service(
    SystemPrompt,
    Effect.map(SystemPrompt, (prompt) => {
      return SystemPrompt.of({
        ...prompt,
        sessionContext: isPlain(asked) ? Effect.succeed("") : prompt.sessionContext,
        instruction: (facts) =>
          Effect.map(isPlain(asked) ? Effect.succeed("") : prompt.instruction(facts), (own) =>
            [own, asked.appendSystemPrompt ?? ""].filter((text) => text !== "").join("\n\n")
          )
      })
    })
  )

/** What all items have in common stands before each request; a request that names it has no instruction of its own. */
export const withCachedContext = (client: ModelClient["Type"], cache: string | undefined): ModelClient["Type"] => {
  if (cache === undefined) return client
  const shaped = ({ systemInstruction, ...request }: ModelRequest): ModelRequest =>
    request.role === "main"
      ? { ...request, config: { ...request.config, cachedContent: cache } }
      : { ...request, ...(systemInstruction === undefined ? {} : { systemInstruction }) }
  return {
    ...client,
    stream: (request) => client.stream(shaped(request)),
    generate: (request) => client.generate(shaped(request))
  }
}
