/** What hooks want the model to choose from, as parameters of a request. Pure. */
import { Predicate } from "effect"
import type { HookedRequest } from "./llm-exchange.ts"

type Config = HookedRequest["config"]

/** The API takes names only with `ANY`; with `AUTO` the tools that are not named are not declared. */
export const withToolChoice = (config: Config, toolConfig: unknown): Config => {
  if (!Predicate.isReadonlyRecord(toolConfig)) return config
  const { mode } = toolConfig
  const names = Array.isArray(toolConfig.allowedFunctionNames)
    ? toolConfig.allowedFunctionNames.filter(Predicate.isString)
    : []
  if (mode === "NONE") return calling(config, { mode })
  if (mode === "ANY") return calling(config, names.length === 0 ? { mode } : { mode, allowedFunctionNames: names })
  return names.length === 0 ? config : { ...config, tools: declaredOnly(config.tools, new Set(names)) }
}

const calling = (config: Config, functionCallingConfig: Readonly<Record<string, unknown>>): Config => ({
  ...config,
  toolConfig: {
    ...(Predicate.isReadonlyRecord(config.toolConfig) ? config.toolConfig : {}),
    functionCallingConfig
  }
})

const declaredOnly = (tools: unknown, names: ReadonlySet<string>): unknown =>
  Array.isArray(tools)
    ? tools.map((tool: unknown) =>
        Predicate.isReadonlyRecord(tool) && Array.isArray(tool.functionDeclarations)
          ? { ...tool, functionDeclarations: tool.functionDeclarations.filter((one) => isNamed(one, names)) }
          : tool
      )
    : tools

const isNamed = (declaration: unknown, names: ReadonlySet<string>): boolean =>
  Predicate.isReadonlyRecord(declaration) && typeof declaration.name === "string" && names.has(declaration.name)
