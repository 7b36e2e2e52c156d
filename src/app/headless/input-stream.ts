/**
 * `--input-format stream-json`: many prompts in one process. A front end like line mode and editors: it reads events, and
 * offers prompts. Each prompt ends with a result of its own; the exit code is that of the worst.
 */

import { resolve } from "node:path"
import { Cause, DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer, Queue, Ref, Stream } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../approval/approval.ts"
import { Chat } from "../../chat/chat.ts"
import { promptWithStart, withSessionEnd } from "../../chat/hooks/session-hooks.ts"
import { attach } from "../../cli/attachments.ts"
import { inputLines } from "../../cli/input-lines.ts"
import { extraEventsOf } from "../../cli/run-options.ts"
import { NoInput } from "../../cli/usage-error.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import type { Tell } from "../../hooks/hooks.ts"
import * as Flow from "../../kernel/flow.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import { permissionRequest } from "../../output/permission-request.ts"
import { RunWriter } from "../../output/run-writer.ts"
import { Stderr } from "../../output/stderr.ts"
import { Stdout } from "../../output/stdout.ts"
import * as StreamJsonWriter from "../../output/stream-json-writer.ts"
import { Policy } from "../../policy/policy.ts"
import type { Part } from "../../protocol/content.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import type { InputLine, UserInput } from "../../protocol/input-line.ts"
import * as UserQuestions from "../../tools/user-questions.ts"
import { appLayer } from "../compose.ts"
import type { RunPerson } from "../facts.ts"
import { outcomeOf, type RunError } from "../outcome.ts"
import { planRun } from "../plan.ts"
import { endStart } from "../telemetry/observers.ts"
import { preparePrompt } from "./prompt.ts"
import { type HeadlessInput, trustNotices } from "./run.ts"

/** So many prompts wait; then nothing more is read. */
const MAX_WAITING = 64

export const inputStreamRun = (input: HeadlessInput): Effect.Effect<number, never, Stdout | Stderr> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { facts, options } = input
      const begun = yield* Ref.make(false)
      const count = yield* Ref.make(0)
      const worst = yield* Ref.make<number>(ExitCode.success)
      const writerOf = (index: number) =>
        Effect.provide(
          RunWriter,
          StreamJsonWriter.layer({
            sessionId: facts.sessionId,
            model: options.model ?? "auto",
            extraEvents: extraEventsOf(options, input.config.settings.get("output.events")),
            raw: options.rawOutput || options.acceptRawOutputRisk,
            prompt: { index, begun }
          })
        )
      const exit = yield* Effect.exit(restore(Effect.scoped(serve(input, { count, worst, writerOf }))))
      if (Exit.isSuccess(exit)) return yield* Ref.get(worst)
      // A session that could not begin, or was ended from outside, still has its result.
      const outcome = outcomeOf(exit, facts.stoppedBy())
      const writer = yield* writerOf(yield* Ref.get(count))
      yield* Effect.ignore(writer.finish(outcome))
      return outcome.exitCode
    })
  )

interface Session {
  readonly count: Ref.Ref<number>
  readonly worst: Ref.Ref<number>
  readonly writerOf: (index: number) => Effect.Effect<RunWriter["Type"], never, Stdout | Stderr>
}

/** `undefined`: nothing more comes. */
type Waiting = UserInput | undefined

const serve = Effect.fn("App.inputStream")(function* (input: HeadlessInput, session: Session) {
  const { config, options } = input
  const stderr = yield* Stderr
  const plan = yield* planRun({
    options,
    settings: config.settings,
    environment: config.environment,
    trust: config.trust.trust,
    isForbiddenFolder: config.trust.rule?.level === "DO_NOT_TRUST"
  })
  const { extensions, notices } = yield* loadExtensions({ config, named: options.extensions, isBare: options.bare })
  yield* Effect.forEach([...(yield* trustNotices(input)), ...plan.notices, ...notices], stderr.notice, {
    discard: true
  })
  const pending = new Map<string, Deferred.Deferred<ApprovalAnswer>>()
  const send = yield* lineSender
  const person = options.permissionPrompts === "stream" ? personBehindStream(send, pending, options) : undefined
  const app = { ...input, plan, extensions, ...(person === undefined ? {} : { person }) }
  yield* Effect.zipRight(endStart(app), converse(input, session, { pending, model: plan.model })).pipe(
    Effect.provide(appLayer(app))
  )
})

interface Answers {
  readonly pending: Map<string, Deferred.Deferred<ApprovalAnswer>>
  readonly model: string
}

const converse = Effect.fnUntraced(function* (input: HeadlessInput, session: Session, answers: Answers) {
  const chat = yield* Chat
  const policy = yield* Policy
  const selected = yield* SelectedModel
  const first = yield* session.writerOf(0)
  yield* first.onEvent({
    _tag: "RunStarted",
    sessionId: input.facts.sessionId,
    model: answers.model,
    trust: input.config.trust.trust
  })
  const tell: Tell = (event) => Effect.ignore(first.onEvent(event))
  const queue = yield* Queue.bounded<Waiting>(MAX_WAITING)
  const running = yield* Ref.make<Fiber.RuntimeFiber<void, RunError> | undefined>(undefined)
  if (input.session !== undefined) yield* chat.replaceHistory(input.session.history)

  const complain = (message: string) => Effect.ignore(first.onEvent({ _tag: "Notice", severity: "error", message }))
  const control = Effect.fnUntraced(function* (line: Extract<InputLine, { readonly type: "control" }>) {
    switch (line.action) {
      case "interrupt": {
        const fiber = yield* Ref.get(running)
        if (fiber !== undefined) yield* Fiber.interruptFork(fiber)
        return true
      }
      case "set_model":
        if (line.model === undefined || line.model.trim() === "") yield* complain("set_model needs a model")
        else yield* selected.set(line.model)
        return true
      case "set_approval_mode":
        if (line.mode === undefined) yield* complain("set_approval_mode needs a mode")
        else yield* Effect.catchAll(policy.setMode(line.mode), ({ message }) => complain(message))
        return true
      case "end":
        return false
    }
  })
  const take = Effect.fnUntraced(function* (line: InputLine) {
    switch (line.type) {
      case "user":
        return yield* Effect.as(Queue.offer(queue, line.message.content), true)
      case "message":
        return yield* Effect.as(Queue.offer(queue, line.content), true)
      case "control":
        return yield* control(line)
      case "permission_response": {
        const question = answers.pending.get(line.tool_id)
        if (question === undefined) yield* complain(`nobody asked about ${line.tool_id}`)
        else yield* Deferred.succeed(question, answerOf(line))
        return true
      }
    }
  })
  const reading = inputLines(Bun.stdin.stream()).pipe(
    Stream.mapEffect((read) =>
      Effect.gen(function* () {
        if (read._tag === "Line") return yield* take(read.line)
        const message = `line ${read.number} of standard input ${read.detail}`
        if (input.options.strictInput) {
          return yield* new NoInput({ detail: message, advice: "Without --strict-input the run goes on." })
        }
        yield* complain(message)
        return true
      })
    ),
    Stream.takeWhile((goesOn) => goesOn),
    Stream.runDrain,
    Effect.ensuring(Effect.forkDaemon(Queue.offer(queue, undefined)))
  )

  const answer = Effect.fnUntraced(function* (given: UserInput, index: number, withStart: WithStart) {
    const writer = yield* session.writerOf(index)
    const work = Effect.gen(function* () {
      const prompt = withStart(yield* promptOf(given, input))
      yield* policy.hear(prompt.text)
      const afterwards = (use: ProtocolEvent) => Effect.ignore(writer.onEvent(use))
      yield* Flow.runForEach(chat.send({ ...prompt, afterwards }), writer.onEvent)
    })
    const fiber = yield* Effect.fork(Effect.interruptible(work))
    yield* Ref.set(running, fiber)
    const exit = yield* Fiber.await(fiber)
    yield* Ref.set(running, undefined)
    const outcome = Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? CANCELLED : outcomeOf(exit, undefined)
    yield* writer.finish(outcome)
    // Whoever cancels an answer has not failed.
    if (outcome !== CANCELLED) yield* Ref.update(session.worst, (before) => Math.max(before, outcome.exitCode))
  })

  const prompts = Effect.gen(function* () {
    let withStart: WithStart = yield* promptWithStart(input.session === undefined ? "startup" : "resume", tell)
    for (;;) {
      const given = yield* Queue.take(queue)
      if (given === undefined) return
      const index = yield* Ref.getAndUpdate(session.count, (before) => before + 1)
      yield* answer(given, index, withStart)
      withStart = (prompt) => prompt
    }
  })
  // A reader that broke the rules ends the run; one that has come to its end lets the queue be answered.
  const failed = yield* Deferred.make<never, Effect.Effect.Error<typeof reading>>()
  yield* Effect.forkScoped(Effect.catchAll(reading, (error) => Deferred.fail(failed, error)))
  yield* withSessionEnd(Effect.raceFirst(prompts, Deferred.await(failed)), () => "exit", tell)
  if ((yield* Ref.get(session.count)) > 0) return
  return yield* new NoInput({
    detail: "no prompt was given",
    advice: "gemini schema input-stream says what a line may be."
  })
})

type WithStart = Effect.Effect.Success<ReturnType<typeof promptWithStart>>

const CANCELLED = {
  completionReason: "cancelled",
  exitCode: ExitCode.sigint,
  failure: {
    type: "FatalCancellationError",
    message: "cancelled by an interrupt of the input stream",
    help: "cancelled",
    code: 130
  }
} as const

/** Parts as they are; a text alone may refer to files and hold a command, like every prompt. */
const promptOf = Effect.fnUntraced(function* (given: UserInput, { config, options }: HeadlessInput) {
  if (typeof given === "string") {
    const prepared = yield* preparePrompt({ piped: "", typed: given }, { readsCommands: false })
    if (prepared._tag === "Send") return prepared.prompt
    return { text: given, parts: [{ text: given }] }
  }
  const parts: Array<Part> = []
  for (const part of given) {
    if (part.type === "text") parts.push({ text: part.text })
    else if (part.type === "inline") parts.push({ inlineData: { mimeType: part.mime_type, data: part.data } })
    else {
      const files = [resolve(config.environment.cwd, part.path)]
      parts.push(...(yield* attach({ config, files, isEphemeral: options.ephemeral }, { piped: "" })))
    }
  }
  return { text: parts.flatMap(({ text }) => text ?? []).join("\n"), parts }
})

const answerOf = (line: Extract<InputLine, { readonly type: "permission_response" }>): ApprovalAnswer => {
  if (line.decision === "deny") return { _tag: "No", reason: line.reason }
  return line.decision === "allow" ? { _tag: "Once" } : { _tag: "Always", covers: "call", keep: "session" }
}

type Send = (line: string) => Effect.Effect<void>

/** Lines that no event of a run becomes. */
const lineSender = Effect.map(
  Stdout,
  ({ write }): Send =>
    (line) =>
      Effect.ignore(write(line))
)

interface PromptOptions {
  readonly permissionTimeout?: Duration.Duration | undefined
}

const PERMISSION_TIMEOUT = Duration.seconds(60)

const personBehindStream = (
  send: Send,
  pending: Map<string, Deferred.Deferred<ApprovalAnswer>>,
  { permissionTimeout = PERMISSION_TIMEOUT }: PromptOptions
): RunPerson => ({
  approval: Layer.succeed(
    Approval,
    Approval.of({
      ask: Effect.fnUntraced(function* (question: ApprovalQuestion) {
        const answer = yield* Deferred.make<ApprovalAnswer>()
        pending.set(question.callId, answer)
        yield* send(permissionRequest(question, DateTime.formatIso(yield* DateTime.now)))
        return yield* Deferred.await(answer).pipe(
          Effect.timeoutTo({
            duration: permissionTimeout,
            onSuccess: (given) => given,
            onTimeout: (): ApprovalAnswer => ({
              _tag: "No",
              reason: `nobody answered within ${Duration.format(permissionTimeout)}`
            })
          }),
          Effect.ensuring(Effect.sync(() => pending.delete(question.callId)))
        )
      })
    })
  ),
  questions: UserQuestions.layerNone
})
