/** One session of an editor: its prompts, its commands, its choices. Translation only; the work is done by the services. */
import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import { Context, Effect, Either, Exit, Fiber, Option, Ref, type Scope } from "effect"
import { Chat } from "../chat/chat.ts"
import type { Prompt } from "../chat/chat-options.ts"
import { converseWithStart } from "../chat/hooks/session-hooks.ts"
import { SessionStats } from "../chat/stats/session-stats.ts"
import { Hooks } from "../hooks/hooks.ts"
import * as Flow from "../kernel/flow.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { McpHub } from "../mcp/mcp-hub.ts"
import { SelectedModel } from "../model/selected-model.ts"
import { Policy } from "../policy/policy.ts"
import { rankOf } from "../policy/rule.ts"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { titleOf } from "../session/browse/session-text.ts"
import { knownModels } from "../slash/builtin/model.command.ts"
import type { CommandResult } from "../slash/command.ts"
import { CommandRegistry } from "../slash/command-registry.ts"
import { PromptExpansion } from "../slash/prompt-expansion.ts"
import { ToolRegistry } from "../tools/registry.ts"
import { availableCommands, type Choices, commandLine, configOptions, idOf, isOffered, modeOf } from "./choices.ts"
import type { EditorClient } from "./editor-client.ts"
import { addUse, type EditorFault, endOfFailure, invalidParams, noUse, quotaOf, stopReasonOf } from "./editor-fault.ts"
import type { OpenedEditorSession } from "./editor-host.ts"
import { type PromptBlock, readBlocks } from "./prompt-blocks.ts"
import { makeUpdates, message } from "./updates.ts"

export interface PromptAnswer {
  readonly stopReason: StopReason
  readonly _meta?: ReturnType<typeof quotaOf>
}

export interface EditorSession {
  readonly cwd: string
  readonly choices: Effect.Effect<Choices>
  readonly setMode: (id: string) => Effect.Effect<void, EditorFault>
  readonly setModel: (name: string) => Effect.Effect<void>
  /** A prompt that is under way is cancelled first. */
  readonly prompt: (blocks: ReadonlyArray<PromptBlock>) => Effect.Effect<PromptAnswer, EditorFault>
  readonly cancel: Effect.Effect<void>
  /** Told once the editor knows the session. */
  readonly tellCommands: Effect.Effect<void>
}

/** A hook at the end of a session has this long. */
const LAST_WORD = "1 second"

export const makeSession = Effect.fn("Acp.makeSession")(function* (
  { config, recorded, services }: OpenedEditorSession,
  client: EditorClient
): Effect.fn.Return<EditorSession, never, Scope.Scope> {
  const { settings } = config
  const { cwd } = config.environment
  const chat = Context.get(services, Chat)
  const policy = Context.get(services, Policy)
  const selected = Context.get(services, SelectedModel)
  const stats = Context.get(services, SessionStats)
  const registry = Context.get(services, CommandRegistry)
  const expansion = Context.get(services, PromptExpansion)
  const hub = Context.get(services, McpHub)
  const hooks = Context.get(services, Hooks)
  const tools = Context.get(services, ToolRegistry)
  const scope = yield* Effect.scope
  const running = yield* Ref.make<Option.Option<Fiber.RuntimeFiber<PromptAnswer, EditorFault>>>(Option.none())
  const hasTitle = yield* Ref.make(recorded.length > 0)
  const known = new Map((yield* tools.all).map((tool) => [tool.name, tool]))
  const updates = makeUpdates({ cwd, toolOf: (name) => known.get(name), takes: client.abilities.takes })
  const models = yield* Effect.provide(knownModels, services)

  const choices = Effect.gen(function* () {
    return {
      mode: yield* policy.mode,
      offersPlan: settings.get("general.plan.enabled"),
      model: yield* selected.get,
      models
    } satisfies Choices as Choices
  })
  const toldMode = yield* Ref.make<ApprovalMode>(yield* policy.mode)
  const toldModel = yield* Ref.make(yield* selected.get)

  /** Whoever changed the mode or the model: the person, a tool, an answer to a question. */
  const tellChoices = Effect.gen(function* () {
    const now = yield* choices
    const isOtherMode = (yield* Ref.getAndSet(toldMode, now.mode)) !== now.mode
    const isOtherModel = (yield* Ref.getAndSet(toldModel, now.model)) !== now.model
    if (isOtherMode) yield* client.update({ sessionUpdate: "current_mode_update", currentModeId: idOf(now.mode) })
    if (isOtherMode || isOtherModel) {
      yield* client.update({ sessionUpdate: "config_option_update", configOptions: configOptions(now) })
    }
  })

  const sendAll = (all: ReadonlyArray<SessionUpdate>) => Effect.forEach(all, client.update, { discard: true })

  const show = Effect.fnUntraced(function* (event: ProtocolEvent) {
    // Servers bring tools while the session goes on.
    if (event._tag === "ToolRequested" && !known.has(event.name)) {
      for (const tool of yield* tools.all) known.set(tool.name, tool)
    }
    yield* sendAll(updates.of(event, yield* monotonicMillis))
    if (event._tag === "ToolStarted" || event._tag === "ToolFinished") yield* tellChoices
  })

  const say = (text: string) => sendAll(message("agent_message_chunk", text))

  const send = Effect.fnUntraced(function* (prompt: Prompt) {
    const used = yield* Ref.make(noUse)
    const stop = yield* Ref.make<string | undefined>(undefined)
    const onEvent = Effect.fnUntraced(function* (event: ProtocolEvent) {
      yield* Ref.update(used, (before) => addUse(before, event))
      if (event._tag === "TurnFinished") yield* Ref.set(stop, event.reason)
      yield* show(event)
    })
    const ended = yield* chat.send({ ...prompt, afterwards: stats.record }).pipe(
      Flow.tap(stats.record),
      Flow.runForEach(onEvent),
      stats.working,
      Effect.either,
      // An editor that does not read does not keep anybody.
      Effect.onInterrupt(() => Effect.timeoutOption(Effect.interruptible(sendAll(updates.abandon())), "500 millis"))
    )
    const reason = Either.isRight(ended)
      ? stopReasonOf(yield* Ref.get(stop))
      : yield* Effect.tap(endOfFailure(ended.left), () => show(failureNotice(ended.left)))
    return { stopReason: reason, _meta: quotaOf(yield* Ref.get(used)) } satisfies PromptAnswer as PromptAnswer
  })

  const carryOut = (result: CommandResult): Effect.Effect<PromptAnswer, EditorFault> => {
    switch (result._tag) {
      case "Print":
        return Effect.as(say(result.text), COMMANDED)
      case "Submit":
        return send(result.prompt)
      case "SubmitTyped":
        return send({ text: result.text, parts: [{ text: [result.before, result.text].filter(Boolean).join("\n\n") }] })
      case "OpenUrl":
        return Effect.as(say(`${result.told}\n${result.url}`), COMMANDED)
      case "Reconfigure":
        return Effect.as(say(result.told), COMMANDED)
      default:
        return Effect.as(say("Error: this works only in a conversation at a terminal."), COMMANDED)
    }
  }

  /** `undefined`: the text names no command that an editor has. */
  const commandIn = Effect.fnUntraced(function* (blocks: ReadonlyArray<PromptBlock>) {
    const [first] = blocks
    const line = first?.type === "text" ? commandLine(first.text) : undefined
    if (line === undefined) return undefined
    const [word = ""] = line.slice(1).split(/\s/, 1)
    const command = (yield* registry.commands).find(({ aliases = [], name }) => name === word || aliases.includes(word))
    return command !== undefined && isOffered(command) ? line : undefined
  })

  const mayRead = (path: string) =>
    client
      .askPermission({
        toolCall: {
          toolCallId: `read_file__${path}`,
          status: "pending",
          title: `${path} is outside of the workspace. Read it?`,
          kind: "read",
          locations: [{ path }],
          content: []
        },
        options: [
          { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
          { optionId: "cancel", name: "Reject", kind: "reject_once" }
        ]
      })
      .pipe(
        Effect.map(({ outcome }) => outcome.outcome === "selected" && outcome.optionId === "proceed_once"),
        Effect.orElseSucceed(() => false)
      )

  const answer = Effect.fnUntraced(function* (blocks: ReadonlyArray<PromptBlock>) {
    const line = yield* commandIn(blocks)
    if (line !== undefined) {
      return yield* registry.run(line, { isInteractive: false }).pipe(
        Effect.matchEffect({
          onFailure: (error) => Effect.as(say(`Error: ${error.message}`), COMMANDED),
          onSuccess: carryOut
        }),
        Effect.tap(tellChoices)
      )
    }
    const { folders, notes, parts, text } = yield* readBlocks(blocks, { cwd, expansion, mayRead })
    yield* sendAll(notes.flatMap((note) => message("agent_thought_chunk", note.message)))
    yield* sendAll(folders.map(folderUpdate))
    yield* policy.hear(text)
    yield* Effect.timeoutOption(hub.settled, settings.get("mcp.startTimeout"))
    if (!(yield* Ref.getAndSet(hasTitle, true)) && text.trim() !== "") {
      yield* client.update({ sessionUpdate: "session_info_update", title: titleOf(undefined, text) })
    }
    return yield* send({ text, parts })
  })

  const stop = Effect.flatMap(Ref.getAndSet(running, Option.none()), (fiber) =>
    Option.isNone(fiber) ? Effect.void : Effect.asVoid(Fiber.interrupt(fiber.value))
  )
  // What ends takes a moment: whoever is asked or cancelled meanwhile waits for its turn.
  const turn = yield* Effect.makeSemaphore(1)
  const latest = yield* Ref.make(0)
  const overtake = Ref.updateAndGet(latest, (number) => number + 1)
  const cancel = Effect.zipRight(overtake, turn.withPermits(1)(stop))

  const prompt = Effect.fn("Acp.prompt")(function* (blocks: ReadonlyArray<PromptBlock>) {
    const own = yield* overtake
    const begun = turn.withPermits(1)(
      Effect.gen(function* () {
        yield* stop
        if ((yield* Ref.get(latest)) !== own) return undefined
        const fiber = yield* Effect.forkIn(answer(blocks), scope)
        yield* Ref.set(running, Option.some(fiber))
        return fiber
      })
    )
    const fiber = yield* begun
    if (fiber === undefined) return CANCELLED
    const exit = yield* Fiber.await(fiber).pipe(Effect.onInterrupt(() => Fiber.interrupt(fiber)))
    yield* Ref.update(running, (now) => (Option.contains(now, fiber) ? Option.none() : now))
    return Exit.isInterrupted(exit) ? CANCELLED : yield* exit
  })

  // Nobody could show its questions.
  if (!client.abilities.takesForms) yield* policy.addRules([NO_QUESTIONS])
  yield* Effect.provide(converseWithStart(recorded.length > 0 ? "resume" : "startup", show), services)
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(hooks.told("SessionEnd", "exit", show)), LAST_WORD)
  )

  return {
    cwd,
    choices,
    cancel,
    prompt,
    setMode: Effect.fnUntraced(function* (id: string) {
      const mode = modeOf(id)
      if (mode === undefined || (mode === "plan" && !settings.get("general.plan.enabled"))) {
        return yield* invalidParams(`Unknown mode: ${id}`)
      }
      yield* Effect.mapError(policy.setMode(mode), (error) => invalidParams(error.message))
      yield* tellChoices
    }),
    setModel: (name) => Effect.zipRight(selected.set(name), tellChoices),
    tellCommands: Effect.flatMap(registry.commands, (commands) =>
      client.update({ sessionUpdate: "available_commands_update", availableCommands: availableCommands(commands) })
    )
  }
})

const COMMANDED: PromptAnswer = { stopReason: "end_turn", _meta: quotaOf(noUse) }
const CANCELLED: PromptAnswer = { stopReason: "cancelled" }

const NO_QUESTIONS = {
  toolName: "ask_user",
  decision: "deny",
  rank: rankOf("admin", 999),
  tier: "admin",
  source: "the editor shows no forms"
} as const

const failureNotice = ({ message: text }: Error): EventOf<"Notice"> => ({
  _tag: "Notice",
  severity: "warning",
  message: text
})

const folderUpdate = (pattern: string, at: number): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: `read_many_files__link_${at}_${pattern}`,
  name: "read_many_files",
  title: pattern,
  kind: "read",
  status: "completed",
  content: [],
  locations: []
})
