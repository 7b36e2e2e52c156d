/** `--code`: the fenced code blocks of the final answer, and nothing else; the whole text where there are none. */
import { Effect, Layer, Ref } from "effect"
import { stripAnsi } from "../kernel/sanitize.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { denialAdvice, diagnosticLine } from "./diagnostics.ts"
import { emptySummary, summarize } from "./run-summary.ts"
import { failureLine, RunWriter } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"
import { Stdout } from "./stdout.ts"

export const layer = Layer.effect(
  RunWriter,
  Effect.gen(function* () {
    const stdout = yield* Stdout
    const stderr = yield* Stderr
    const summary = yield* Ref.make(emptySummary)

    const printAnswer = Effect.gen(function* () {
      const { lastTurn } = yield* Ref.get(summary)
      const text = stripAnsi(lastTurn)
      const blocks = codeBlocks(text)
      if (blocks.length > 0) return yield* stdout.write(`${blocks.join("\n\n")}\n`)
      if (text.trim() === "") return
      yield* stderr.notice("[INFO] the answer has no code block: this is its text (--code)")
      yield* stdout.write(text.endsWith("\n") ? text : `${text}\n`)
    })

    return RunWriter.of({
      onEvent: Effect.fnUntraced(function* (event: ProtocolEvent) {
        yield* Ref.update(summary, (before) => summarize(before, event))
        const line = diagnosticLine(event)
        if (line !== undefined) yield* stderr.notice(line)
        const advice = denialAdvice(event)
        if (advice !== undefined) yield* stderr.notice(advice)
      }),
      finish: ({ failure }) =>
        Effect.ensuring(
          failure === undefined ? printAnswer : Effect.void,
          failure === undefined ? Effect.void : stderr.write(`${failureLine(failure)}\n`)
        )
    })
  })
)

/**
 * What stands between fences, without them. A fence is closed by one of the same kind that is at least as long; the end
 * of the text closes it too. The indentation of the fence is taken from its lines.
 */
export const codeBlocks = (text: string): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let open: { readonly fence: string; readonly indent: number; readonly lines: Array<string> } | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, indent = "", fence] = /^( *)(`{3,}|~{3,})/.exec(line) ?? []
    if (open === undefined) {
      const isFence =
        fence !== undefined && !(fence.startsWith("`") && line.slice(indent.length + fence.length).includes("`"))
      if (isFence) open = { fence, indent: indent.length, lines: [] }
      continue
    }
    if (fence?.startsWith(open.fence) && line.trim() === fence) {
      blocks.push(open.lines.join("\n"))
      open = undefined
      continue
    }
    open.lines.push(line.replace(new RegExp(`^ {0,${open.indent}}`), ""))
  }
  if (open !== undefined) blocks.push(open.lines.join("\n"))
  return blocks.map((block) => block.replace(/\n+$/, "")).filter((block) => block.trim() !== "")
}
