/**
 * `/restore`: goes back to a file checkpoint, files and conversation, and offers the call again that was about to run.
 * Files that were made since are removed only when that is chosen; the restore itself can be taken back with `/undo`.
 */
import { join } from "node:path"
import { Effect, Ref } from "effect"
import { Chat } from "../../chat/chat.ts"
import { openCalls } from "../../chat/limits/run-calls.ts"
import { Environment } from "../../config/environment.ts"
import { Settings } from "../../config/settings.ts"
import { Policy } from "../../policy/policy.ts"
import type { FunctionCall } from "../../protocol/content.ts"
import { RunReaders } from "../../protocol/run-readers.ts"
import { type CheckpointPlan, Checkpoints } from "../../session/checkpoint/checkpoints.ts"
import type { LazyServices } from "../../tools/lazy-services.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { CommandError, failed } from "../command-error.ts"
import { forgetReads } from "../session/forget-reads.ts"

type Services = Checkpoints | Chat | Settings | Policy | RunReaders | LazyServices | Environment

export const restore = slash<Services>({
  name: "restore",
  description: "Go back to the files and the conversation before an edit",
  usage: "[checkpoint]",
  complete: Effect.fnUntraced(function* (typed) {
    const checkpoints = yield* Checkpoints
    const names = yield* Effect.orElseSucceed(checkpoints.list, () => [])
    const candidates = names.filter((name) => name.startsWith(typed)).map((value) => ({ value }))
    return { from: 0, candidates }
  }),
  run: Effect.fnUntraced(function* ({ args }) {
    const settings = yield* Settings
    if (!settings.get("general.checkpointing.enabled")) return yield* switchedOff
    return yield* args === "" ? list : plan(args)
  })
})

const switchedOff = new CommandError({
  kind: "failed",
  detail: "No checkpoints are made: general.checkpointing.enabled is off.",
  advice: "/undo takes back what runs changed."
})

const list = Effect.gen(function* () {
  const checkpoints = yield* Checkpoints
  const names = yield* Effect.mapError(checkpoints.list, failed)
  return print(names.length === 0 ? "There are no checkpoints yet." : names.join("\n"), names)
})

const plan = Effect.fnUntraced(function* (name: string) {
  const checkpoints = yield* Checkpoints
  const services = yield* Effect.context<Services>()
  const found = yield* Effect.mapError(checkpoints.plan(name), failed)
  const { made, restored } = found.files
  return {
    _tag: "Ask",
    question: {
      text: [
        `Checkpoint ${name}, before ${found.record.toolCall.name}.`,
        ...section("Comes back:", restored),
        ...section("Made since:", made)
      ].join("\n"),
      choices: [
        { value: "restore", label: made.length === 0 ? "Restore" : "Restore, and keep what was made since" },
        ...(made.length === 0 ? [] : [{ value: "remove", label: "Restore, and remove what was made since" }]),
        { value: "no", label: "Leave everything as it is" }
      ],
      answer: (value) =>
        value === "no"
          ? Effect.succeed(print("Nothing was changed."))
          : Effect.provide(goBack(found, value === "remove"), services)
    }
  } satisfies CommandResult as CommandResult
})

const MAX_LINES = 50

const section = (title: string, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        title,
        ...paths.slice(0, MAX_LINES).map((path) => `  ${path}`),
        ...(paths.length > MAX_LINES ? [`  and ${paths.length - MAX_LINES} more`] : [])
      ]

const goBack = Effect.fnUntraced(function* (found: CheckpointPlan, removeMade: boolean) {
  const checkpoints = yield* Checkpoints
  const chat = yield* Chat
  const readers = yield* RunReaders
  const told = yield* Ref.make<ReadonlyArray<string>>([])
  const tell = (line: string) => Ref.update(told, (lines) => [...lines, line])
  yield* Effect.mapError(checkpoints.restore(found, { removeMade, tell }), failed)
  const { made, restored } = found.files
  const { cwd } = yield* Environment
  yield* forgetReads([...restored, ...made].map((path) => join(cwd, path)))
  yield* chat.replaceHistory(found.record.clientHistory)
  yield* readers.onHistory({ _tag: "Shortened", contents: yield* chat.history })
  return yield* offer(found, [...(yield* Ref.get(told)), "Files and conversation are as they were."])
})

/** Where calls have to be asked for, that is the question; where they run by themselves, it is asked here. */
const offer = Effect.fnUntraced(function* ({ name, record }: CheckpointPlan, told: ReadonlyArray<string>) {
  const policy = yield* Policy
  const { args, name: tool } = record.toolCall
  const what = `${tool} ${JSON.stringify(args).slice(0, 200)}`
  const callId = offeredCall(record)
  if (callId === undefined) return print([...told, `The call that was about to run: ${what}`].join("\n"))
  const prompt = { text: `/restore ${name}`, parts: [], repeats: callId }
  const mode = yield* policy.mode
  if (mode === "default" || mode === "plan") {
    const notes = told.map((message) => ({ severity: "info" as const, message }))
    return { _tag: "Submit", prompt, notes } satisfies CommandResult as CommandResult
  }
  return {
    _tag: "Ask",
    question: {
      text: [...told, `The call that was about to run: ${what}`].join("\n"),
      choices: [
        { value: "run", label: "Run it again, and let the model go on" },
        { value: "no", label: "Leave it, and wait for my next prompt" }
      ],
      answer: (value) =>
        Effect.succeed(value === "run" ? { _tag: "Submit", prompt } : print("The conversation waits for you."))
    }
  } satisfies CommandResult as CommandResult
})

/** The call with which the conversation ends. Records of the reference name no call: there the same words count. */
const offeredCall = ({ clientHistory, messageId, toolCall }: CheckpointPlan["record"]): string | undefined => {
  const calls = openCalls(clientHistory)
  const isSame = ({ args, name }: FunctionCall) =>
    name === toolCall.name && JSON.stringify(args) === JSON.stringify(toolCall.args)
  return (calls.find(({ id }) => id === messageId) ?? calls.find(isSame))?.id
}
