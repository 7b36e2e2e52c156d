/**
 * The prompt of a headless run: from flags and standard input, with what it refers to. A prompt without `@` and without
 * a command, which is most of them, loads nothing of what expands the others.
 */
import { Effect } from "effect"
import type { Prompt } from "../../chat/chat-options.ts"
import type { PastUse } from "../../chat/stats/session-stats.ts"
import { type GivenPrompt, type PreparedPrompt, wholeText, withMedia } from "../../cli/given-prompt.ts"
import { type RunOptions, stdinTimeoutOf } from "../../cli/run-options.ts"
import { readStdin } from "../../cli/stdin.ts"
import { NoInput, usageError } from "../../cli/usage-error.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import { Stderr } from "../../output/stderr.ts"

export interface PromptInput {
  readonly options: RunOptions
  readonly config: LoadedConfig
  /** From `-p` or from words; `undefined` when it has to come from standard input. */
  readonly prompt: string | undefined
  /** `false`: standard input is not the run's to read. */
  readonly readsStdin: boolean
}

export const readPrompt = Effect.fnUntraced(function* ({ config, options, prompt, readsStdin }: PromptInput) {
  const stderr = yield* Stderr
  if (options.demo) return { piped: "", typed: yield* announceDemo(prompt) }
  if (!readsStdin && prompt !== undefined) {
    const given: GivenPrompt = { piped: "", typed: prompt }
    return options.file === undefined ? given : { ...given, attached: yield* filesOf(given, { config, options }) }
  }
  const piped = yield* readStdin({
    promptGiven: prompt !== undefined,
    timeout: yield* stdinTimeoutOf(
      options,
      config.environment.get("GEMINI_STDIN_TIMEOUT"),
      config.settings.get("run.stdinTimeout")
    ),
    notify: stderr.notice
  })
  yield* Effect.forEach(piped.notes, (note) => stderr.notice(`[WARNING] ${note}`), { discard: true })
  const given: GivenPrompt =
    prompt === undefined
      ? { piped: "", typed: piped.text, media: piped.media }
      : { piped: piped.text, typed: prompt, media: piped.media }
  if (options.file !== undefined) {
    const attached = yield* filesOf(given, { config, options })
    const stdinIsAttached = options.file.includes("-") && prompt !== undefined
    return { ...(stdinIsAttached ? { piped: "", typed: given.typed } : given), attached }
  }
  if (wholeText(given).trim() === "" && given.media === undefined) {
    return yield* new NoInput({
      detail: "no prompt was given",
      advice: 'Write gemini -p "...", or pipe the prompt into gemini.'
    })
  }
  return given
})

const filesOf = Effect.fnUntraced(function* (
  given: GivenPrompt,
  { config, options }: Pick<PromptInput, "config" | "options">
) {
  const { attach } = yield* lazy(() => import("../../cli/attachments.ts"))
  return yield* attach({ config, files: options.file ?? [], isEphemeral: options.ephemeral }, given)
})

const plainPrompt = (given: GivenPrompt): Prompt => {
  const text = wholeText(given)
  // The API refuses an empty text; a picture alone is a question too.
  return withMedia({ text, parts: text === "" ? [] : [{ text }] }, given)
}

export const preparePrompt = Effect.fnUntraced(function* (
  given: GivenPrompt,
  { past, readsCommands }: { readonly readsCommands: boolean; readonly past?: PastUse }
) {
  if (readsCommands && mayCommand(given)) {
    const { runCommand } = yield* lazy(() => import("../../cli/prompt-commands.ts"))
    return yield* runCommand(given, past)
  }
  if (!mayRefer(given))
    return { _tag: "Send", prompt: plainPrompt(given), notes: [] } satisfies PreparedPrompt as PreparedPrompt
  const { withReferences } = yield* lazy(() => import("../../cli/prompt-references.ts"))
  return yield* withReferences(given)
})

export const mayRefer = ({ typed }: GivenPrompt): boolean => typed.includes("@")

/** `//` and `/*` begin a comment that somebody pasted. */
const mayCommand = ({ typed }: GivenPrompt): boolean => /^\s*\/(?![/*])/.test(typed)

/** The recorded answer belongs to its own question: another one would be answered with a lie. */
const announceDemo = Effect.fnUntraced(function* (prompt: string | undefined) {
  const stderr = yield* Stderr
  if (prompt !== undefined) {
    return yield* usageError(
      "--demo plays a recorded conversation and takes no prompt",
      "Leave the prompt or --demo out."
    )
  }
  const { demoPrompt } = yield* lazy(() => import("../../model/demo-cassette.ts"))
  yield* stderr.notice(`[INFO] demo: a recorded answer, no key needed. The question: ${demoPrompt}`)
  yield* stderr.notice("[INFO] demo: nobody can be asked here, so --approval-mode auto_edit lets the edit through")
  return demoPrompt
})
