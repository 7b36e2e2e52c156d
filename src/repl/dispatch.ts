/**
 * What a line asks for: a slash command, a shell command of the person's own, or a prompt for the model. Whatever fails
 * is told on the screen, and the conversation goes on.
 */
import { Cause, Effect, Ref } from "effect"
import { CommandRegistry, isSlashLine } from "../slash/command-registry.ts"
import { ShellLine } from "../slash/shell-line.ts"
import { afterPrompt, makePrompts, makeResults, type Next, type PromptOptions } from "./command-results.ts"
import { isPrompt } from "./input-queue.ts"
import { printWords } from "./printed-text.ts"
import { printStream } from "./stream-lines.ts"
import { Screen } from "./terminal/screen.ts"

export interface Dispatch {
  readonly run: (line: string) => Effect.Effect<Next>
  /** Carries out what may run while something else does; false when the line has to wait. */
  readonly runBeside: (line: string) => Effect.Effect<boolean>
  /** Every line is a shell command. */
  readonly isShellMode: Effect.Effect<boolean>
  readonly leaveShellMode: Effect.Effect<void>
}

export interface DispatchOptions extends PromptOptions {
  /** What is entered while a prompt is answered reaches the model with its next step. */
  readonly steers: boolean
}

export const makeDispatch = Effect.fnUntraced(function* (options: DispatchOptions) {
  const screen = yield* Screen
  const registry = yield* CommandRegistry
  const shell = yield* ShellLine
  const prompts = yield* makePrompts(options)
  const results = yield* makeResults(prompts)
  const shellMode = yield* Ref.make(false)

  const runShell = Effect.fnUntraced(function* (command: string) {
    const { exitCode, notes } = yield* printStream(screen, (onOutput) => shell.run(command, onOutput))
    if (exitCode !== 0) yield* screen.print(exitCode === undefined ? "(ended by a signal)" : `(exit code ${exitCode})`)
    yield* Effect.forEach(notes, screen.print, { discard: true })
    return GO_ON
  })

  const toggleShell = Effect.gen(function* () {
    const isOn = yield* Ref.updateAndGet(shellMode, (before) => !before)
    yield* screen.print(isOn ? "Shell mode: every line is a command. Esc or ! leaves it." : "Shell mode is off.")
    return GO_ON
  })

  const runCommand = (line: string) => Effect.flatMap(registry.run(line, { isInteractive: true }), results.carryOut)

  const work = Effect.fnUntraced(function* (line: string) {
    const text = line.trim()
    if (text === "!") return yield* toggleShell
    if (yield* Ref.get(shellMode)) return yield* runShell(line)
    if (text.startsWith("!")) return yield* runShell(text.slice(1))
    if (text === "exit" || text === "quit") return yield* runCommand("/quit")
    if (text === "?") return yield* runCommand("/shortcuts")
    if (isSlashLine(line)) return yield* runCommand(line)
    return yield* Effect.map(prompts.sendTyped(line), afterPrompt(screen))
  })

  const run = (line: string) =>
    work(line).pipe(
      Effect.catchTag("CommandError", (error) => Effect.as(printWords(screen, error.message), GO_ON)),
      // A fault of ours in one line is no reason to lose the conversation.
      Effect.catchAllDefect((defect) => Effect.as(printWords(screen, internalError(defect)), GO_ON))
    )

  return {
    run,
    runBeside: Effect.fnUntraced(function* (line) {
      const command = isSlashLine(line) ? yield* registry.find(line) : undefined
      if (command?.isConcurrent === true) return yield* Effect.as(run(line), true)
      if (line.trim() === "") return false
      const isHint = options.steers && isPrompt(line) && (yield* prompts.isAnswering)
      yield* screen.print(isHint ? HINTED : "(waits until this is done; Ctrl-C cancels)")
      return false
    }),
    isShellMode: Ref.get(shellMode),
    leaveShellMode: Effect.flatMap(Ref.get(shellMode), (isOn) => (isOn ? toggleShell : Effect.void)).pipe(Effect.asVoid)
  } satisfies Dispatch
})

const HINTED = "(told to the model with its next step; Ctrl-C cancels)"

const GO_ON: Next = { _tag: "GoOn" }

const internalError = (defect: unknown): string => {
  const [first] = Cause.prettyErrors(Cause.die(defect))
  return `internal error: ${first?.message ?? "unknown"}. This is a bug in gemini; --debug shows where.`
}
