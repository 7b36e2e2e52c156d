/** Whatever stands in the events of a conversation, the terminal gets text, and sequences of this program alone. */
import { describe, expect } from "bun:test"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { hostileEvent } from "../../../test/kit/hostile-events.ts"
import { actsIn, hostileText } from "../../../test/kit/hostile-text.ts"
import { it } from "../../../test/kit/it.ts"
import * as Screen from "../terminal/screen.ts"
import { plainStyle, type TerminalStyle } from "../terminal/terminal-features.ts"
import * as Transcript from "./transcript.ts"

const rich: TerminalStyle = { colors: true, unicode: true, animates: true, links: true }
const everything = {
  showsThoughts: true,
  showsCitations: true,
  showsModel: true,
  showsRecovered: true,
  showsFooter: true,
  hidesFooterModel: false
}
const STATUS_EVERY = 40

const onScreen = <A, E>(style: TerminalStyle, body: Effect.Effect<A, E, Screen.Screen>) =>
  Effect.suspend(() => {
    const written: Array<string> = []
    const screen = Screen.layer({
      write: (text) => Effect.sync(() => void written.push(text)),
      columns: () => 60,
      style,
      notificationMethod: "osc9",
      isInTmux: false
    })
    return Effect.map(Effect.provide(body, screen), () => written.join(""))
  })

const events = fc.sample(hostileEvent, 250)

describe.each([
  ["rich", rich],
  ["plain", plainStyle]
] as const)("on a %s terminal", (_, style) => {
  it.effect("events only show", () =>
    Effect.gen(function* () {
      const bytes = yield* onScreen(
        style,
        Effect.gen(function* () {
          const transcript = yield* Transcript.Transcript
          yield* transcript.during(
            Effect.forEach(
              events,
              (event, index) =>
                Effect.zipRight(
                  transcript.onEvent(event),
                  index % STATUS_EVERY === 0 ? TestClock.adjust("1 second") : Effect.void
                ),
              { discard: true }
            )
          )
        }).pipe(Effect.provide(Transcript.layer(everything)))
      )
      expect(actsIn(bytes)).toEqual([])
    })
  )

  it.effect("whatever is given to the screen only shows, also where nobody cleaned it", () =>
    Effect.gen(function* () {
      const texts = fc.sample(hostileText, 300)
      const bytes = yield* onScreen(
        style,
        Effect.flatMap(Screen.Screen, (screen) =>
          Effect.forEach(
            texts,
            (text) =>
              Effect.all([
                screen.print(text),
                screen.printOver(text, { text }),
                screen.show({ text }),
                screen.edit({ text, cursor: 1 }),
                screen.redraw,
                screen.finishEdit(text),
                screen.title(text),
                screen.notify(text),
                screen.show(undefined)
              ]),
            { discard: true }
          )
        )
      )
      expect(actsIn(bytes)).toEqual([])
    })
  )
})
