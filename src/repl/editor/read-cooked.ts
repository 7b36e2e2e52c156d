/**
 * A reading where the terminal edits the lines: it shows what is typed and hands over whole lines. Everything that
 * needs a key of its own is absent; several lines are still possible, by a backslash or a fence. A text to go on with
 * cannot be put into the terminal's line: it is shown above it, Enter alone sends it, and what is typed follows it.
 */
import { Effect } from "effect"
import type { TerminalInput } from "../terminal/key.ts"
import { initialState } from "./edit-state.ts"
import { enter } from "./enter-key.ts"
import { previousBorder } from "./grapheme.ts"
import type { LineResult, ReadLineRequest } from "./line-editor.ts"
import { type EditorServices, startingText } from "./read-keys.ts"
import { CONTINUATION, finishedLines } from "./row.ts"

export const readCooked = (
  { keyboard, memory, readings, screen }: EditorServices,
  request: ReadLineRequest
): Effect.Effect<LineResult> =>
  Effect.suspend(() => {
    const multiLine = request.multiLine !== false
    const starting = startingText(memory, request)
    let finished = starting === "" ? "" : `${starting}\n`
    let line = ""

    const isHidden = (): boolean => multiLine && memory.isBusy && finished === ""
    const prompt = Effect.suspend(() =>
      screen.edit(isHidden() ? undefined : { text: finished === "" ? request.prompt() : CONTINUATION })
    )
    // Without the terminal's echo Enter has moved nothing.
    const entered = request.isSecret === true ? screen.edit(undefined) : screen.lineEnded

    const send = (): Effect.Effect<LineResult | undefined> => {
      const isLeftAsItWas = starting !== "" && line === "" && finished === `${starting}\n`
      const after = enter(initialState({ text: isLeftAsItWas ? starting : finished + line }))
      line = ""
      if (after.isSent || !multiLine) return Effect.as(entered, { _tag: "Line", text: after.state.text })
      finished = after.state.text
      return Effect.as(entered, undefined)
    }

    const accept = (input: TerminalInput): Effect.Effect<LineResult | undefined> => {
      switch (input._tag) {
        case "Text":
        case "Paste":
          line += input.text
          return Effect.succeed(undefined)
        case "Closed":
          return line === "" ? Effect.as(screen.edit(undefined), { _tag: "EndOfInput" }) : send()
        case "Key":
          return acceptKey(input.name)
        default:
          return Effect.succeed(undefined)
      }
    }

    const acceptKey = (name: string): Effect.Effect<LineResult | undefined> => {
      if (name === "enter") return send()
      if (name === "C-c") return Effect.as(screen.edit(undefined), { _tag: "Interrupted" })
      if (name === "tab") line += "\t"
      if (name === "backspace") line = line.slice(0, previousBorder(line, line.length))
      return Effect.succeed(undefined)
    }

    const heading = starting === "" ? request.heading : screen.print(finishedLines(request, starting, true))
    const read = readings
      .open({ draw: prompt, heading }, (reading) =>
        Effect.gen(function* () {
          while (true) {
            const result = yield* accept(yield* reading.next)
            if (result !== undefined) return result
            if (line === "") yield* reading.draw
          }
        })
      )
      .pipe(
        Effect.onInterrupt(() => {
          if (multiLine) memory.left = (finished + line).trimEnd()
          return Effect.zipRight(screen.edit(undefined), readings.redraw)
        })
      )
    return request.isSecret === true ? keyboard.withoutEcho(read) : read
  })
