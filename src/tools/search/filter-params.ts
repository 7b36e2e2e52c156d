/** The parameter with which a call overrides the settings on ignore files. */
import { Schema } from "effect"
import type { FilterFlags } from "../../files/file-filter.ts"

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
