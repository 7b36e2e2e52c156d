/**
 * The corrector that asks a small model. Loaded only where the user has allowed it.
 *
 * Every answer is bounded in time and asked for once; whatever goes wrong, the caller goes on as if nobody had been
 * asked. Answers are kept by the hash of the question, because a model that failed once tends to repeat itself.
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Schema } from "effect"
import { ModelClient } from "../../model/model-client.ts"
import { UtilityModels } from "../../model/utility-models.ts"
import { userText } from "../../protocol/content.ts"
import { editFixPrompt, escapingPrompt } from "./correction-prompts.ts"
import { EditCorrector, type EditFix, type FailedEdit } from "./edit-corrector.ts"
import { cacheOf } from "./recent-cache.ts"

const TIMEOUT = "40 seconds"
const CACHE_SIZE = 50

export const layer = Layer.effect(
  EditCorrector,
  Effect.gen(function* () {
    const client = yield* ModelClient
    const utility = yield* UtilityModels
    const fixes = cacheOf<EditFix>(CACHE_SIZE)
    const escapings = cacheOf<string>(CACHE_SIZE)

    const ask = Effect.fnUntraced(function* <A, I>(
      alias: "llm-edit-fixer" | "edit-corrector",
      prompt: string,
      answer: Schema.Schema<A, I>,
      shape: object
    ) {
      const { config, model } = utility.configFor(alias)
      const chunk = yield* client.generate({
        model,
        contents: [userText(prompt)],
        config: { ...config, responseMimeType: "application/json", responseJsonSchema: shape },
        role: "utility_edit_corrector",
        promptId: yield* utility.promptId
      })
      const parts = chunk.candidates?.[0]?.content?.parts ?? []
      const text = parts.flatMap((part) => (part.thought === true ? [] : [part.text ?? ""])).join("")
      return yield* Schema.decode(Schema.parseJson(answer))(withoutFence(text))
    })

    /** `null` when the answer is late, absent or of another form. */
    const orNull = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | null> =>
      effect.pipe(
        Effect.timeout(TIMEOUT),
        Effect.tapError((error) =>
          Effect.logDebug("edit correction failed").pipe(Effect.annotateLogs({ reason: String(error) }))
        ),
        Effect.orElseSucceed(() => null)
      )

    const fixEdit = Effect.fn("EditCorrector.fixEdit")(function* (failed: FailedEdit) {
      const key = digest([failed.content, failed.search, failed.replacement, failed.instruction, failed.error])
      const known = fixes.get(key)
      if (known !== undefined) return known
      const answer = yield* orNull(ask("llm-edit-fixer", editFixPrompt(failed), EditFixAnswer, EDIT_FIX_SHAPE))
      if (answer === null) return null
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
      const answer = yield* orNull(ask("edit-corrector", escapingPrompt(content), EscapingAnswer, ESCAPING_SHAPE))
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

const withoutFence = (text: string): string => text.trim().replace(/^```(?:json)?\s*|\s*```$/g, "")

const digest = (parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64")
