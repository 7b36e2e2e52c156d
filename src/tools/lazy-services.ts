/**
 * What the built-in tools work with, for others that need the same: a file that a prompt attaches is then a file that
 * the model has read. Built when first asked for, because a run that only answers needs none of it.
 */
import { Context, type Effect } from "effect"
import type { BuiltinServices } from "./builtin-tools.ts"

export class LazyServices extends Context.Tag("agent/tools/LazyServices")<
  LazyServices,
  { readonly services: Effect.Effect<Context.Context<BuiltinServices>> }
>() {}
