/**
 * The conversation at a terminal: read a line, do what it asks for, and so on until the person leaves. Everything that
 * takes time is carried out with the line open, so that Ctrl-C cancels it and what is typed meanwhile is kept. Nothing
 * that goes wrong with one line ends the program.
 */
import { Effect, Option } from "effect"
import { visibleText } from "../kernel/visible-text.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { makeApprovalKeys } from "./approval-keys.ts"
import { type AttentionOptions, makeAttention } from "./attention.ts"
import type { Ending } from "./command-results.ts"
import { makeCompleter } from "./completer.ts"
import { makeDispatch } from "./dispatch.ts"
import type { InputHistory } from "./editor/input-history.ts"
import type { LineResult } from "./editor/line-editor.ts"
import { makeInput } from "./input.ts"
import { makeInterruptCount } from "./interrupt-count.ts"
import type { PromptOptions } from "./prompts.ts"
import { Screen } from "./terminal/screen.ts"

export interface LineModeOptions extends PromptOptions, AttentionOptions {
  /** Sent before anything is read. */
  readonly firstPrompt: string | undefined
  /** What was entered while the session before this one ended. */
  readonly waiting: ReadonlyArray<string>
  readonly history: Histories
  /** SIGINT from outside, which means the same as Ctrl-C. */
  readonly interrupted: Effect.Effect<void>
  readonly hasPlans: boolean
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
  const completer = yield* makeCompleter(dispatch.isShellMode)
  const attend = yield* makeAttention(options)
  const meansToLeave = yield* makeInterruptCount
  const input = yield* makeInput({
    request: Effect.map(dispatch.isShellMode, (isShell) => ({
      prompt: isShell ? () => "! " : keys.prompt,
      history: isShell ? options.history.commands : options.history.prompts,
      completer,
      hotkeys: keys.hotkeys
    })),
    interrupted: options.interrupted,
    waiting: options.waiting,
    runsBeside: dispatch.runBeside
  })

  const carryOut = Effect.fnUntraced(function* (line: string) {
    if (line.trim() === "") return undefined
    yield* remember(line, options.history, yield* dispatch.isShellMode)
    const done = yield* input.during(attend(dispatch.run(line)))
    yield* keys.refresh
    if (Option.isNone(done)) yield* screen.print("Request cancelled.")
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
        if (yield* meansToLeave) return exit(ExitCode.sigint)
        yield* screen.print("Press Ctrl-C again to leave, or Ctrl-D.")
        return undefined
      case "Escaped":
        yield* dispatch.leaveShellMode
        return undefined
    }
  })

  const begin = Effect.fnUntraced(function* (prompt: string) {
    yield* screen.print(`${keys.prompt()}${visibleText(prompt).replaceAll("\n", "\n. ")}`)
    return yield* carryOut(prompt)
  })

  let ending = options.firstPrompt === undefined ? undefined : yield* begin(options.firstPrompt)
  while (ending === undefined) ending = yield* react(yield* input.next)
  return { ending, waiting: yield* input.waiting }
}, Effect.scoped)

/** A shell command that was typed at the prompt is found again in both places. */
const remember = (line: string, { commands, prompts }: Histories, isShellMode: boolean) => {
  if (isShellMode) return commands.add(line)
  const command = /^\s*!(.+)$/s.exec(line)?.[1]
  return command === undefined ? prompts.add(line) : Effect.zipRight(prompts.add(line), commands.add(command.trim()))
}

const exit = (exitCode: number): Ending => ({ _tag: "Exit", exitCode, deletesSession: false })
