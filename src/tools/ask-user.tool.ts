/** `ask_user`: up to four questions to the person. The call always asks, whatever the approval mode allows. */
import { Effect, Schema } from "effect"
import { defineTool, ToolFailure } from "./tool.ts"
import { type Question, UserQuestions } from "./user-questions.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Params = Schema.Struct({
  questions: Schema.Array(
    Schema.Struct({
      question: Schema.NonEmptyString.annotations({ description: "The complete question." }),
      header: Schema.NonEmptyString.annotations({ description: "A label of one or two words, such as 'Database'." }),
      type: Schema.Literal("choice", "text", "yesno").annotations({
        description: "choice: pick from options; text: a free answer; yesno: yes or no."
      }),
      options: optional(
        Schema.Array(
          Schema.Struct({
            label: Schema.NonEmptyString.annotations({ description: "The choice, in one to five words." }),
            description: Schema.String.annotations({ description: "What this choice means." })
          })
        ).annotations({ description: "For type choice: two to four options. A free answer is always offered besides." })
      ),
      multiSelect: optional(
        Schema.Boolean.annotations({ description: "For type choice: several options may be picked." })
      ),
      placeholder: optional(Schema.String.annotations({ description: "Hint shown in an empty text field." }))
    })
  )
    .pipe(Schema.minItems(1), Schema.maxItems(4))
    .annotations({ description: "One to four questions." })
})

export const askUser = defineTool({
  name: "ask_user",
  classNames: ["AskUserTool"],
  displayName: "Ask User",
  kind: "communicate",
  description:
    "Asks the user up to four questions and waits for the answers. Use it when a decision is theirs and a wrong guess " +
    "would cost them; not for permission to use a tool, and not for what you can find out yourself.",
  params: Params,
  prepare: Effect.fnUntraced(function* (params: typeof Params.Type) {
    const service = yield* UserQuestions
    const fault = params.questions.map(choiceFault).find((message) => message !== null)
    if (fault) return yield* new ToolFailure({ type: "invalid_tool_params", message: fault })
    const questions = params.questions.map(
      (question): Question => ({
        ...question,
        question: withLineBreaks(question.question),
        options: question.options ?? [],
        multiSelect: question.multiSelect ?? false
      })
    )
    return {
      description: `Asking: ${questions.map((question) => question.header).join(", ")}`,
      locations: [],
      // The questions are the confirmation: they are put when the call runs.
      confirmation: Effect.succeed(null),
      run: Effect.fnUntraced(function* () {
        const answers = yield* service.ask(questions)
        if (answers === null) {
          const text = "The user gave no answer. Go on with what you know, or say what you need."
          return { forModel: text, display: { type: "text" as const, text: "No answer was given." } }
        }
        const shown = questions.map((question, index) => `${question.header} → ${answers[index] ?? ""}`).join("\n")
        return {
          forModel: JSON.stringify({ answers: Object.fromEntries(answers.entries()) }),
          display: { type: "text" as const, text: shown }
        }
      })
    }
  })
})

type Asked = (typeof Params.Type)["questions"][number]

const choiceFault = (question: Asked, index: number): string | null => {
  const count = question.options?.length ?? 0
  if (question.type === "choice" && (count < 2 || count > 4)) {
    return `params/questions/${index}/options must have two to four entries for type 'choice', but has ${count}`
  }
  const blank = question.options?.some((option) => option.label.trim() === "") ?? false
  return blank ? `params/questions/${index}/options must not have an empty label` : null
}

/** Models often write the two characters `\n` where they mean a line break. */
const withLineBreaks = (text: string): string => text.replaceAll("\\r\\n", "\n").replaceAll("\\n", "\n")
