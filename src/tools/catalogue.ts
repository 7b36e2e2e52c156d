/**
 * What is known of each built-in tool before its code is loaded. Making the declarations from the schemas costs as much
 * as three process starts, so they are generated at build time.
 */

import { type Context, Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { BuiltinServices } from "./builtin-tools.ts"
import type { JsonSchema } from "./gemini-schema.ts"
import { builtinCatalogue } from "./generated/declarations.ts"
import { provideTool, type Tool, type ToolKind } from "./tool.ts"

export interface CatalogueEntry {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly classNames: ReadonlyArray<string>
  readonly displayName: string
  readonly kind: ToolKind
  readonly variant?: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** The built-in tools. Their code is loaded, and the services behind them are asked for, when one is first prepared. */
export const lazyBuiltins = (services: Effect.Effect<Context.Context<BuiltinServices>>): ReadonlyArray<Tool> =>
  builtinCatalogue.map((entry, index) => lazyTool(entry, loadTool(index), services))

/** Also for tools of higher rooms. */
export const lazyTool = <R>(
  { parameters, ...entry }: CatalogueEntry,
  load: Effect.Effect<Tool<R>>,
  services: Effect.Effect<Context.Context<R>>
): Tool => ({
  ...entry,
  params: null,
  jsonSchema: parameters,
  prepare: (args) =>
    Effect.flatMap(Effect.all([load, services]), ([tool, context]) => provideTool(tool, context).prepare(args))
})

/** The catalogue is made from this list, in its order. */
const loadTool = (index: number): Effect.Effect<Tool<BuiltinServices>> =>
  lazy(() => import("./builtin-tools.ts")).pipe(
    Effect.flatMap(({ builtinTools }) => {
      const found: Tool<BuiltinServices> | undefined = builtinTools[index]
      return found === undefined ? Effect.dieMessage("the catalogue of tools is stale") : Effect.succeed(found)
    })
  )
