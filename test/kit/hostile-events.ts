/** Any events of a run, with hostile text in every field that takes any text. */
import { Arbitrary, FastCheck as fc, Predicate, Schema } from "effect"
import { ProtocolEvent } from "../../src/protocol/event.ts"
import { hostileText } from "./hostile-text.ts"

const isEvent = Schema.is(ProtocolEvent)

/** Replaces one text after the other; what is none of the words that a field takes stays. */
const filled = (event: ProtocolEvent, texts: ReadonlyArray<string>): ProtocolEvent => {
  let next = 0
  let whole: unknown = structuredClone(event)
  const walk = (value: unknown, put: (text: string) => void): void => {
    if (typeof value === "string") {
      const before = value
      put(texts[next++ % texts.length] ?? "")
      if (!isEvent(whole)) put(before)
      return
    }
    if (!Predicate.isRecord(value) && !Array.isArray(value)) return
    for (const [key, item] of Object.entries(value)) walk(item, (text) => Reflect.set(value, key, text))
  }
  walk(whole, (text) => {
    whole = text
  })
  return isEvent(whole) ? whole : event
}

export const hostileEvent: fc.Arbitrary<ProtocolEvent> = fc
  .tuple(Arbitrary.make(ProtocolEvent), fc.array(hostileText, { minLength: 1, maxLength: 6 }))
  .map(([event, texts]) => filled(event, texts))
