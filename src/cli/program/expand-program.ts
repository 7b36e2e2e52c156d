/** The prompt of a file: its arguments, standard input, files and outputs of commands in the places that name them. */
import { Effect } from "effect"
import { layerAllowlist } from "../../slash/custom/check-commands.ts"
import { programPrompt } from "../../slash/custom/run-custom.ts"
import { type GivenPrompt, type PreparedPrompt, withMedia } from "../given-prompt.ts"
import { NoInput } from "../usage-error.ts"
import type { PromptProgram } from "./read-program.ts"

export const expandProgram = Effect.fnUntraced(function* (program: PromptProgram, given: GivenPrompt) {
  const { pieces, shown, stdin, takesStdin, values } = program
  const isEmpty = given.piped.trim() === "" && given.media === undefined
  if (stdin === "required" && isEmpty) {
    return yield* new NoInput({ detail: `${shown} needs something on standard input`, advice: `${shown} < FILE` })
  }
  const all = new Map([...values, ["stdin", given.piped]])
  const { notes, parts } = yield* Effect.provide(programPrompt(shown, pieces, all), layerAllowlist)
  // Where the file does not say so, what is piped in stands before it, as before every prompt.
  const before = takesStdin || given.piped === "" ? [] : [{ text: `${given.piped}\n\n` }]
  const text = [...before, ...parts].map((part) => part.text ?? "").join("")
  if (text.trim() === "" && given.media === undefined && given.attached === undefined) {
    return yield* new NoInput({ detail: `${shown} holds no prompt`, advice: "Write one behind its front matter." })
  }
  const filled = [...before, ...parts].filter((part) => part.text !== "")
  return {
    _tag: "Send",
    prompt: withMedia({ text, parts: filled }, given),
    notes
  } satisfies PreparedPrompt as PreparedPrompt
})
