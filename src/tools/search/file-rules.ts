/** Ignore rules for a path that a model named: those of the workspace folder it lies in. */
import { Effect, Schema } from "effect"
import { isInside } from "../../files/containment.ts"
import { FileFilter, type FilterFlags } from "../../files/file-filter.ts"
import { Workspace } from "../../files/workspace.ts"

/** The innermost workspace folder that holds the path; `undefined` for a path outside all of them. */
export const rootOf = Effect.fnUntraced(function* (path: string) {
  const workspace = yield* Workspace
  const roots = yield* workspace.roots
  return roots.filter((root) => isInside(root, path)).sort((a, b) => b.length - a.length)[0]
})

/** Whether ignore files hide this file, under its name or under the one that it links to. */
export const isIgnoredFile = Effect.fnUntraced(function* (
  path: { readonly named: string; readonly real: string },
  flags?: FilterFlags
) {
  const filter = yield* FileFilter
  for (const candidate of new Set([path.named, path.real])) {
    const root = yield* rootOf(candidate)
    if (root === undefined) continue
    const rules = yield* filter.rules(root, flags)
    if (rules.ignores(candidate, false)) return true
  }
  return false
})

/** The parameter with which a call overrides the settings on ignore files. */
export const FilterOptions = Schema.Struct({
  respect_git_ignore: Schema.optional(Schema.Boolean.annotations({ description: "Honour .gitignore. Default true." })),
  respect_gemini_ignore: Schema.optional(
    Schema.Boolean.annotations({ description: "Honour .geminiignore. Default true." })
  )
})

export const filterFlags = (options: typeof FilterOptions.Type | undefined): FilterFlags => ({
  respectGitIgnore: options?.respect_git_ignore,
  respectGeminiIgnore: options?.respect_gemini_ignore
})
