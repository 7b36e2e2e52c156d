/** A conversation as plain lines: text as it comes, tools by name. */
import { Effect, Layer } from "effect"
import { Transcript } from "../repl/render/transcript.ts"
import { printStream } from "../repl/stream-lines.ts"
import { Screen } from "../repl/terminal/screen.ts"

export const layer = Layer.effect(
  Transcript,
  Effect.map(Screen, (screen) => {
    let write: (text: string) => Effect.Effect<void> = () => Effect.void
    return Transcript.of({
      onEvent: (event) => {
        if (event._tag === "Text") return write(event.text)
        if (event._tag === "Notice") return screen.print(event.message)
        return event._tag === "ToolRequested" ? screen.print(`* ${event.name}`) : Effect.void
      },
      during: (run) =>
        printStream(screen, (onOutput) => {
          write = onOutput
          return run
        })
    })
  })
)
