/**
 * What the SDK answers, as clients of each version expect it: for 0.3 it leaves out that a turn is over when the caller has
 * the next word, and tells of a task anew with every message to it. Pure but for the stream.
 */
import { Option, Schema } from "effect"

interface WireOptions {
  readonly version: "1.0" | "0.3"
  /** The message names a task that the caller knows. */
  readonly isFollowUp: boolean
  /** The client stopped listening before the end. */
  readonly onGone: (taskId: string) => void
}

const Event = Schema.Struct({
  result: Schema.Struct(
    {
      kind: Schema.optional(Schema.String),
      id: Schema.optional(Schema.String),
      taskId: Schema.optional(Schema.String),
      status: Schema.optional(Schema.Struct({ state: Schema.String }, { key: Schema.String, value: Schema.Unknown }))
    },
    { key: Schema.String, value: Schema.Unknown }
  )
})
const TaskOfModern = Schema.Struct({
  result: Schema.Struct({ task: Schema.Struct({ id: Schema.String }) })
})
const StatusOfModern = Schema.Struct({
  result: Schema.Struct({ statusUpdate: Schema.Struct({ status: Schema.Struct({ state: Schema.String }) }) })
})

/** The caller has the next word, or nobody has: whoever leaves now leaves nothing behind. */
const isLast = (answer: unknown): boolean => {
  const modern = Option.getOrUndefined(Schema.decodeUnknownOption(StatusOfModern)(answer))
  const older = Option.getOrUndefined(Schema.decodeUnknownOption(Event)(answer))
  const state = modern?.result.statusUpdate.status.state ?? older?.result.status?.state ?? ""
  return /INPUT_REQUIRED|COMPLETED|FAILED|CANCELED|REJECTED/.test(state.toUpperCase().replace("-", "_"))
}

/** `undefined`: not for this client. */
export const versioned = (answer: unknown, { isFollowUp, version }: Omit<WireOptions, "onGone">): unknown => {
  if (version === "1.0") return answer
  const event = Option.getOrUndefined(Schema.decodeUnknownOption(Event)(answer))
  if (event === undefined) return answer
  const { kind, status } = event.result
  if (kind === "task" && isFollowUp) return undefined
  if (kind !== "status-update" || status?.state !== "input-required") return answer
  return { ...Object(answer), result: { ...event.result, final: true } }
}

const taskIdIn = (answer: unknown): string | undefined => {
  const modern = Option.getOrUndefined(Schema.decodeUnknownOption(TaskOfModern)(answer))
  if (modern !== undefined) return modern.result.task.id
  const older = Option.getOrUndefined(Schema.decodeUnknownOption(Event)(answer))
  return older?.result.kind === "task" ? older.result.id : older?.result.taskId
}

/** Server-sent events. */
export const versionedEvents = (
  answers: AsyncGenerator<unknown, void, undefined>,
  { onGone, ...form }: WireOptions
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let taskId: string | undefined
  let isOver = false
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      while (true) {
        const { done, value } = await answers.next()
        if (done === true) return controller.close()
        taskId ??= taskIdIn(value)
        isOver = isLast(value)
        const shown = versioned(value, form)
        if (shown !== undefined) return controller.enqueue(encoder.encode(`data: ${JSON.stringify(shown)}\n\n`))
      }
    },
    cancel: async () => {
      if (taskId !== undefined && !isOver) onGone(taskId)
      await answers.return(undefined)
    }
  })
}
