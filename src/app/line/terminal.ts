/**
 * A conversation at the terminal, from its start to an exit code: the terminal is taken, the conversation runs, and
 * however it ends, the terminal is given back as it was before anything else is said.
 */
import { Effect, Exit, Layer } from "effect"
import type { RunMode } from "../../cli/run-mode.ts"
import type { RunOptions } from "../../cli/run-options.ts"
import type { LoadedConfig } from "../../config/load.ts"
import type { CompanionView } from "../../ide/ide-companion.ts"
import { causeChain } from "../../kernel/cause-chain.ts"
import { failureLine } from "../../output/run-writer.ts"
import * as Stderr from "../../output/stderr.ts"
import { Stdout } from "../../output/stdout.ts"
import * as CommandTerminal from "../../repl/command-terminal.ts"
import * as ExternalEditor from "../../repl/editor/external-editor.ts"
import * as LineEditor from "../../repl/editor/line-editor.ts"
import { wrapped } from "../../repl/printed-text.ts"
import * as Keyboard from "../../repl/terminal/keyboard.ts"
import * as Screen from "../../repl/terminal/screen.ts"
import { processTerminal } from "../../repl/terminal/terminal-device.ts"
import { type TerminalStyle, terminalStyle } from "../../repl/terminal/terminal-features.ts"
import type { SessionPlan } from "../../session/record/session-plan.ts"
import type { ProcessFacts } from "../facts.ts"
import { outcomeOf } from "../outcome.ts"
import { lineSession } from "./sessions.ts"

export interface LineInput {
  readonly facts: ProcessFacts
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly mode: Extract<RunMode, { readonly _tag: "Interactive" }>
  /** That the conversation goes on from; absent: a new one. */
  readonly session: SessionPlan | undefined
  /** Of the editor that the terminal belongs to. */
  readonly companion: CompanionView | undefined
  readonly trustedByEditor: boolean | undefined
}

export const lineRun = Effect.fn("App.lineRun")(function* (input: LineInput) {
  const stderr = yield* Stderr.Stderr
  const { profile } = input.facts
  const terminal = Layer.scopedContext(profile.during("setup_terminal", Layer.build(terminalLayer(input))))
  const exit = yield* Effect.exit(Effect.provide(lineSession(input), terminal))
  if (Exit.isSuccess(exit)) return exit.value
  yield* Effect.logDebug("failed", causeChain(exit.cause))
  const { exitCode, failure } = outcomeOf(exit, undefined)
  if (failure !== undefined) yield* stderr.notice(failureLine(failure))
  return exitCode
})

/** Diagnostics go to the screen as well: a second writer would tear the line that is being edited. */
const terminalLayer = (input: LineInput) => {
  const { config, facts, options } = input
  const style = terminalStyle({ ...config, options, stdoutIsTerminal: facts.stdoutIsTerminal })
  const diagnostics = Layer.unwrapEffect(
    Effect.map(Screen.Screen, ({ columns, print }) =>
      Stderr.layerOver((text) =>
        Effect.flatMap(columns, (width) =>
          print(style.wrapsHard ? wrapped(text, { columns: width, wrapsHard: true }) : text)
        )
      )
    )
  )
  const editor = ExternalEditor.layer({
    environment: config.environment,
    preferred: config.settings.get("general.preferredEditor"),
    opensNewWindow: config.settings.get("general.openEditorInNewWindow")
  })
  const keyboard = Keyboard.layer(processTerminal({ bracketedPaste: style.animates }), { raw: style.animates })
  const isWanted =
    config.settings.get("tools.shell.enableInteractiveShell") &&
    config.environment.get("GEMINI_PTY_INFO") !== "child_process" &&
    facts.platform !== "win32"
  return LineEditor.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(editor, diagnostics, CommandTerminal.layer({ isWanted }))),
    Layer.provideMerge(Layer.merge(keyboard, screenLayer(input, style)))
  )
}

/** A terminal that is gone takes nothing more; reading from it says so, and the conversation ends. */
const screenLayer = ({ config: { environment, settings } }: LineInput, style: TerminalStyle) =>
  Layer.unwrapEffect(
    Effect.map(Stdout, ({ writeUnchanged }) =>
      Screen.layer({
        write: (text) => Effect.ignore(writeUnchanged(text)),
        columns: () => process.stdout.columns || DEFAULT_COLUMNS,
        rows: () => process.stdout.rows || DEFAULT_ROWS,
        style,
        notificationMethod: settings.get("general.notificationMethod"),
        isInTmux: (environment.get("TMUX") ?? "") !== ""
      })
    )
  )

/** Where the terminal does not say. */
const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24
