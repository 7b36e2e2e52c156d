/**
 * The conversation at a terminal: read a line, do what it asks for, and so on until the person leaves. Everything that
 * takes time is carried out with the line open, so that Ctrl-C cancels it and what is typed meanwhile is kept. Nothing
 * that goes wrong with one line ends the program.
 */
import { Deferred, Effect, Option } from "effect"
import { visibleText } from "../kernel/visible-text.ts"
import { Policy } from "../policy/policy.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { PersonTerminal } from "../shell/person-terminal.ts"
import { CommandRegistry, isSlashLine } from "../slash/command-registry.ts"
import { PromptExpansion } from "../slash/prompt-expansion.ts"
import { ShellLine } from "../slash/shell-line.ts"
import { makeTidyMemory } from "../system/memory.ts"
import { TurnNews } from "../tools/scheduling/turn-news.ts"
import { makeApprovalKeys } from "./approval-keys.ts"
import { type AttentionOptions, makeAttention } from "./attention.ts"
import type { Ending } from "./command-results.ts"
import { type DispatchOptions, makeDispatch } from "./dispatch.ts"
import type { Completer, LineResult } from "./editor/line-editor.ts"
import type { InputHistory } from "./editor/prompt-history.ts"
import { makeInput, type PromptGate } from "./input.ts"
import { isPrompt } from "./input-queue.ts"
import { makeInterruptCount } from "./interrupt-count.ts"
import { Screen } from "./terminal/screen.ts"

const LINES_BETWEEN_COLLECTIONS = 5

export interface LineModeOptions extends DispatchOptions, AttentionOptions {
  /** Sent before anything is read. */
  readonly firstPrompt: string | undefined
  /** What was entered while the session before this one ended. */
  readonly waiting: ReadonlyArray<string>
  /** The person left after that. */
  readonly hasEnded: boolean
  readonly history: Histories
  /** Prompts wait for it; commands do not. Absent: nothing has to start. */
  readonly ready: Effect.Effect<void> | undefined
  /** SIGINT from outside, which means the same as Ctrl-C. */
  readonly interrupted: Effect.Effect<void>
  readonly hasPlans: boolean
  /** `ui.escapePastedAtSymbols`. */
  readonly escapesPastes?: boolean
}

/** What was entered before, by kind. */
export interface Histories {
  readonly prompts: InputHistory
  readonly commands: InputHistory
}

export const lineMode = Effect.fn("LineMode.run")(function* (options: LineModeOptions) {
  const screen = yield* Screen
  const keys = yield* makeApprovalKeys(options)
  const dispatch = yield* makeDispatch(options)
  const { completer, prepare } = yield* makeCompleter(dispatch.isShellMode)
  const attend = yield* makeAttention(options)
  const person = yield* PersonTerminal
  const takeOver = Effect.flatMap(person.takeOver, (isTaken) =>
    isTaken ? Effect.void : screen.print("No command runs that could be taken over.")
  )
  const meansToLeave = yield* makeInterruptCount
  const tidyMemory = yield* makeTidyMemory(LINES_BETWEEN_COLLECTIONS)
  // A line is open while a command changes what the next one will mean: its sign is asked for whenever it is drawn.
  let isShell = yield* dispatch.isShellMode
  const refresh = Effect.zipRight(
    keys.refresh,
    Effect.map(dispatch.isShellMode, (now) => {
      isShell = now
    })
  )
  const historyNow = () => (isShell ? options.history.commands : options.history.prompts)
  const input = yield* makeInput({
    request: Effect.succeed({
      prompt: () => (isShell ? "! " : keys.prompt()),
      history: {
        entries: Effect.suspend(() => historyNow().entries),
        add: (text) => historyNow().add(text)
      },
      completer,
      prepare,
      escapesPastes: options.escapesPastes,
      hotkeys: { ...keys.hotkeys, "C-]": takeOver }
    }),
    interrupted: options.interrupted,
    waiting: options.firstPrompt === undefined ? options.waiting : [options.firstPrompt, ...options.waiting],
    hasEnded: options.hasEnded,
    runsBeside: dispatch.runBeside,
    // Where the terminal edits lines, it has echoed Ctrl-C.
    cancelled: screen.print(`${screen.style.animates ? "" : "\n"}Request cancelled.`),
    gate: yield* makeGate(options.ready, dispatch.isShellMode)
  })

  const policy = yield* Policy
  if (options.steers) {
    const news = yield* TurnNews
    yield* news.connect(
      Effect.gen(function* () {
        const hints = yield* input.takePrompts
        yield* Effect.forEach(hints, options.history.prompts.add, { discard: true })
        yield* Effect.forEach(hints, policy.hear, { discard: true })
        return hints.map((hint) => `The user says while you work: ${hint}`)
      })
    )
  }

  const carryOut = Effect.fnUntraced(function* (line: string) {
    if (line.trim() === "") return undefined
    yield* remember(line, options.history, yield* dispatch.isShellMode)
    yield* policy.hear(line)
    const done = yield* input.during(Effect.ensuring(attend(dispatch.run(line)), refresh))
    yield* tidyMemory
    const next = Option.getOrUndefined(done)
    if (next?._tag === "Draft") yield* Effect.zipRight(input.draft(next.text), next.say)
    return next?._tag === "End" ? next.ending : undefined
  })

  const react = Effect.fnUntraced(function* (result: LineResult) {
    switch (result._tag) {
      case "Line":
        return yield* carryOut(result.text)
      case "EndOfInput":
        return exit(ExitCode.success)
      case "Interrupted":
        // Whoever clears one line after the other does not mean to leave.
        if ((yield* meansToLeave) && result.clearedText !== true) return exit(ExitCode.sigint)
        yield* screen.print("Press Ctrl-C again to leave, or Ctrl-D.")
        return undefined
      case "Escaped":
        yield* Effect.zipRight(dispatch.leaveShellMode, refresh)
        return undefined
    }
  })

  if (options.firstPrompt !== undefined)
    yield* screen.print(`${keys.prompt()}${visibleText(options.firstPrompt).replaceAll("\n", "\n. ")}`)

  let ending: Ending | undefined
  while (ending === undefined) ending = yield* react(yield* input.next)
  return { ending, waiting: yield* input.waiting, hasEnded: yield* input.hasEnded }
}, Effect.scoped)

const HELD = "(sent as soon as the MCP servers have started; commands run at once, Ctrl-C takes it back)"

/** A line of shell mode is no prompt; and what was entered as a prompt never becomes a command. */
const makeGate = Effect.fnUntraced(function* (ready: LineModeOptions["ready"], isShellMode: Effect.Effect<boolean>) {
  const screen = yield* Screen
  const opened = yield* Deferred.make<void>()
  const open = Deferred.succeed(opened, undefined)
  yield* ready === undefined ? open : Effect.forkScoped(Effect.zipRight(ready, open))
  const isOpen = Deferred.isDone(opened)
  return {
    isOpen,
    opened: Deferred.await(opened),
    holds: Effect.fnUntraced(function* (line) {
      if (line.trim() === "" || !isPrompt(line) || (yield* isOpen) || (yield* isShellMode)) return false
      return yield* Effect.as(screen.print(HELD), true)
    }),
    releases: Effect.zipWith(isOpen, isShellMode, (open, isShell) => open && !isShell)
  } satisfies PromptGate
})

/** A shell command that was typed at the prompt is found again in both places. */
const remember = (line: string, { commands, prompts }: Histories, isShellMode: boolean) => {
  if (isShellMode) return commands.add(line)
  const command = /^\s*!(.+)$/s.exec(line)?.[1]
  return command === undefined ? prompts.add(line) : Effect.zipRight(prompts.add(line), commands.add(command.trim()))
}

const exit = (exitCode: number): Ending => ({ _tag: "Exit", exitCode, deletesSession: false })

/** What the text at the cursor could become: commands, references to files, and in shell lines what a shell would offer. */
const makeCompleter = Effect.fnUntraced(function* (isShellMode: Effect.Effect<boolean>) {
  const registry = yield* CommandRegistry
  const expansion = yield* PromptExpansion
  const shell = yield* ShellLine
  const completer: Completer = Effect.fnUntraced(function* (text, cursor) {
    // The command begins behind the `!`, or with the line.
    const start = (yield* isShellMode) ? 0 : /^\s*!/.exec(text)?.[0].length
    if (start !== undefined && cursor >= start) {
      const { candidates, from } = yield* shell.complete(text.slice(start), cursor - start)
      return { from: from + start, candidates }
    }
    if (isSlashLine(text)) return yield* registry.complete(text, cursor)
    return (yield* expansion.complete(text, cursor)) ?? { from: cursor, candidates: [] }
  })
  return {
    completer,
    // Not a child: the key is echoed before anything is looked for.
    prepare: (typed: string) =>
      typed.includes("@") ? Effect.asVoid(Effect.forkDaemon(expansion.prepare)) : Effect.void
  }
})
