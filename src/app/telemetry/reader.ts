/** Telemetry as a reader of the run: what is told of it, as records. Loaded where telemetry is on. */
import { Effect } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { configuredServers } from "../../mcp/configured-servers.ts"
import { ModelAccess } from "../../model/model-access.ts"
import { thresholdOf } from "../../model/routing/from-config.ts"
import { Policy } from "../../policy/policy.ts"
import type { RunReader } from "../../protocol/run-readers.ts"
import { activitiesOf } from "../../telemetry/activity.ts"
import { beginning, type ReaderFacts, readEnd, readEvent } from "../../telemetry/from-events.ts"
import { record } from "../../telemetry/signal.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { AppInput } from "../facts.ts"

export const telemetryReader = Effect.fnUntraced(function* (input: AppInput) {
  const to = yield* Telemetry
  const policy = yield* Policy
  const threshold = thresholdOf((yield* ModelAccess).flags)
  let state = beginning
  let isStreaming = false
  const { active } = to
  const extensions = bringers(input)
  /** The mode may change while a prompt is worked on. */
  const facts = Effect.map(
    policy.mode,
    (approvalMode) =>
      ({
        approvalMode,
        logPrompts: to.level?.logPrompts ?? false,
        extensions,
        detectsLoops: !input.config.settings.get("model.disableLoopDetection"),
        classifierThreshold: threshold?.value
      }) satisfies ReaderFacts
  )
  return {
    onEvent: Effect.fnUntraced(function* (event) {
      const at = yield* monotonicMillis
      const known = yield* facts
      // In one step from here to the next state: sub-agents tell of themselves side by side.
      const [next, signals] = readEvent(state, event, at, known)
      const going = activitiesOf(event, isStreaming)
      state = next
      isStreaming = going.isStreaming
      yield* record(to, signals)
      yield* Effect.forEach(going.activities, active, { discard: true })
    }),
    onHistory: () => active("history_updated"),
    onEnd: Effect.fnUntraced(function* (end) {
      yield* record(to, readEnd(state, end._tag, yield* monotonicMillis, yield* facts))
    })
  } satisfies RunReader
})

/** The extensions that bring servers, by the name of the server. */
const bringers = ({ config, extensions }: AppInput): ReaderFacts["extensions"] => {
  const { origins } = configuredServers(config.settings, extensions)
  return new Map(
    Object.entries(origins).flatMap(([server, origin]) =>
      extensions.filter(({ name }) => name === origin.extension).map((extension) => [server, extension])
    )
  )
}
