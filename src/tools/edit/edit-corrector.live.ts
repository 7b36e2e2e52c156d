/**
 * The corrector that asks a small model. Loaded only where the user has allowed it.
 *
 * Every answer is bounded in time and asked for once; whatever goes wrong, the caller goes on as if nobody had been
 * asked. Answers are kept by the hash of the question, because a model that failed once tends to repeat itself.
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Schema } from "effect"
import type { ModelClient } from "../../model/model-client.ts"
import { askJson } from "../../model/utility-call.ts"
import type { UtilityModels } from "../../model/utility-models.ts"
import { userText } from "../../protocol/content.ts"
import { editFixPrompt, escapingPrompt } from "./correction-prompts.ts"
import { EditCorrector, type EditFix, type FailedEdit, tellOfCorrection } from "./edit-corrector.ts"

const TIMEOUT = "40 seconds"
const CACHE_SIZE = 50

export const layer = Layer.effect(
  EditCorrector,
  Effect.gen(function* () {
    const models = yield* Effect.context<ModelClient | UtilityModels>()
    const fixes = cacheOf<EditFix>(CACHE_SIZE)
    const escapings = cacheOf<string>(CACHE_SIZE)

    /** `null` when the answer is late, absent or of another form. */
    const ask = <A, I>(
      alias: "llm-edit-fixer" | "edit-corrector",
      prompt: string,
      schema: Schema.Schema<A, I>,
      jsonSchema: object
    ): Effect.Effect<A | null> =>
      askJson({
        alias,
        contents: [userText(prompt)],
        role: "utility_edit_corrector",
        schema,
        jsonSchema,
        attempts: 1,
        timeout: TIMEOUT
      }).pipe(
        Effect.provide(models),
        Effect.tapError((error) =>
          Effect.logDebug("edit correction failed").pipe(Effect.annotateLogs({ reason: error.message }))
        ),
        Effect.orElseSucceed(() => null)
      )

    const fixEdit = Effect.fn("EditCorrector.fixEdit")(function* (failed: FailedEdit) {
      const key = digest([failed.content, failed.search, failed.replacement, failed.instruction, failed.error])
      const known = fixes.get(key)
      if (known !== undefined) return known
      const answer = yield* ask("llm-edit-fixer", editFixPrompt(failed), EditFixAnswer, EDIT_FIX_SHAPE)
      if (answer === null) return yield* Effect.as(tellOfCorrection("failure"), null)
      const fix: EditFix = {
        search: answer.search,
        replacement: answer.replace,
        explanation: answer.explanation,
        noChangesRequired: answer.noChangesRequired
      }
      fixes.set(key, fix)
      return fix
    })

    const fixEscaping = Effect.fn("EditCorrector.fixEscaping")(function* (content: string) {
      if (!looksOverEscaped(content)) return content
      const key = digest([content])
      const known = escapings.get(key)
      if (known !== undefined) return known
      const answer = yield* ask("edit-corrector", escapingPrompt(content), EscapingAnswer, ESCAPING_SHAPE)
      const fixed = answer?.corrected_string_escaping ?? ""
      if (fixed === "") return content
      escapings.set(key, fixed)
      return fixed
    })

    return EditCorrector.of({ fixEdit, fixEscaping })
  })
)

const EditFixAnswer = Schema.Struct({
  search: Schema.String,
  replace: Schema.String,
  explanation: Schema.String,
  noChangesRequired: Schema.optionalWith(Schema.Boolean, { default: () => false })
})

const EDIT_FIX_SHAPE = {
  type: "object",
  properties: {
    search: { type: "string", description: "The search text that occurs in the file." },
    replace: { type: "string", description: "The text to put in its place." },
    explanation: { type: "string", description: "Why the first search failed and what was changed." },
    noChangesRequired: { type: "boolean", description: "True when the file already is as intended." }
  },
  required: ["search", "replace", "explanation"]
}

const EscapingAnswer = Schema.Struct({ corrected_string_escaping: Schema.String })

const ESCAPING_SHAPE = {
  type: "object",
  properties: {
    corrected_string_escaping: { type: "string", description: "The text with its escapes as they were meant." }
  },
  required: ["corrected_string_escaping"]
}

/** A backslash before something that is often escaped once too often: worth a question, never a change by itself. */
const looksOverEscaped = (content: string): boolean => /\\+(?:[ntr'"`\n]|\\)/.test(content)

const digest = (parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64")

/** Keeps the entries used last and forgets the others. */
interface RecentCache<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A) => void
}

const cacheOf = <A>(capacity: number): RecentCache<A> => {
  // A Map keeps the order of insertion: the first key is the one that was not used for longest.
  const entries = new Map<string, A>()
  const put = (key: string, value: A) => {
    entries.delete(key)
    entries.set(key, value)
    const oldest = entries.keys().next()
    if (entries.size > capacity && oldest.done !== true) entries.delete(oldest.value)
  }
  return {
    get: (key) => {
      const value = entries.get(key)
      if (value !== undefined) put(key, value)
      return value
    },
    set: put
  }
}
