/** `/undo`: takes back what a run changed in files, after showing what that would do. The same plan as `gemini undo`. */
import { Clock, Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import { SessionRecorder } from "../../session/record/session-recorder.ts"
import { Undo } from "../../session/undo/undo.ts"
import type { UndoPlan } from "../../session/undo/undo-plan.ts"
import { listJson, listText, planJson, planText, resultText } from "../../session/undo/undo-text.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { failed, usageOf } from "../command-error.ts"

type Services = Undo | Environment | SessionRecorder

const USAGE = "[list|RUN|SESSION] [--force]"

export const undo = slash<Services>({
  name: "undo",
  description: "Take back what the last run of this conversation changed in files",
  usage: USAGE,
  run: Effect.fnUntraced(function* ({ args }) {
    const words = args.split(" ").filter((word) => word !== "" && word !== "--force")
    const [run, surplus] = words
    if (surplus !== undefined || run?.startsWith("-") === true) return yield* usageOf("undo", USAGE)
    return yield* run === "list" ? list : plan(run, args.split(" ").includes("--force"))
  })
})

const textOptions = Effect.gen(function* () {
  const { cwd } = yield* Environment
  return { cwd, now: yield* Clock.currentTimeMillis }
})

const list = Effect.gen(function* () {
  const service = yield* Undo
  const runs = yield* Effect.mapError(service.list, failed)
  return print(listText(runs, yield* textOptions).trimEnd(), listJson(runs))
})

const plan = Effect.fnUntraced(function* (run: string | undefined, force: boolean) {
  const service = yield* Undo
  const services = yield* Effect.context<Services>()
  const { session } = yield* SessionRecorder
  const { sessionId } = yield* session
  const found = yield* Effect.mapError(service.plan({ run, session: sessionId, force }), failed)
  const text = planText(found, yield* textOptions).trimEnd()
  if (found.steps.length === 0) return print(text, planJson(found, undefined))
  return {
    _tag: "Ask",
    question: {
      text,
      choices: [
        { value: "yes", label: "Restore" },
        { value: "no", label: "Leave everything as it is" }
      ],
      answer: (value) =>
        value === "yes" ? Effect.provide(apply(found), services) : Effect.succeed(print("Nothing was changed."))
    }
  } satisfies CommandResult as CommandResult
})

const apply = Effect.fnUntraced(function* (found: UndoPlan) {
  const service = yield* Undo
  const result = yield* Effect.mapError(service.apply(found), failed)
  const options = { ...(yield* textOptions), command: "/undo" }
  return print(resultText(found, result, options).trimEnd(), planJson(found, result))
})
