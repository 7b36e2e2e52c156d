/** Whether a run is a conversation or one headless prompt: a pure decision over flags, terminal and variables. */
import { Either } from "effect"
import { ExitCode } from "../protocol/exit-code.ts"
import type { ParsedArgv } from "./parse-argv.ts"
import type { RunOptions } from "./run-options.ts"
import { UsageError } from "./usage-error.ts"

export interface LaunchContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdinIsTerminal: boolean
  readonly stdoutIsTerminal: boolean
  /** Where the program was called; absent where the folder is gone. */
  readonly cwd?: string | undefined
}

export type RunMode =
  /** `prompt` is absent when it has to come from standard input. */
  | { readonly _tag: "Headless"; readonly prompt: string | undefined }
  /** `fromWords`: the first prompt came as plain words, which deserves a notice that `-p` would end after it. */
  | { readonly _tag: "Interactive"; readonly firstPrompt: string | undefined; readonly fromWords: boolean }
  | { readonly _tag: "Editor" }

type Asked = Pick<
  RunOptions,
  | "prompt"
  | "promptInteractive"
  | "words"
  | "acp"
  | "estimate"
  | "outputSchema"
  | "lastMessageFile"
  | "code"
  | "events"
  | "file"
  | "inputFormat"
>

/** Before words that should not stand beside it are refused: drivers look for this refusal, whatever follows. */
export const checkPiped = (
  { options }: ParsedArgv,
  { stdinIsTerminal }: LaunchContext
): Either.Either<void, UsageError> =>
  options.promptInteractive !== undefined && options.prompt === undefined && !stdinIsTerminal
    ? Either.left(pipedInteractive())
    : Either.void

export const chooseMode = (options: Asked, around: LaunchContext): Either.Either<RunMode, UsageError> => {
  if (options.promptInteractive !== undefined) {
    if (!around.stdinIsTerminal) return Either.left(pipedInteractive())
    return Either.right({ _tag: "Interactive", firstPrompt: nonEmpty(options.promptInteractive), fromWords: false })
  }
  if (options.acp) return Either.right({ _tag: "Editor" })
  const words = nonEmpty(options.words.join(" "))
  if (options.prompt !== undefined || asksForOneAnswer(options) || isHeadlessPlace(around)) {
    return Either.right({ _tag: "Headless", prompt: nonEmpty(options.prompt ?? "") ?? words })
  }
  return Either.right({ _tag: "Interactive", firstPrompt: words, fromWords: words !== undefined })
}

/** Flags that make sense for a single answer only. */
const asksForOneAnswer = ({ code, estimate, events, file, lastMessageFile, outputSchema }: Asked): boolean =>
  estimate ||
  code ||
  events !== undefined ||
  file !== undefined ||
  lastMessageFile !== undefined ||
  outputSchema !== undefined

/** Build machines count as headless even with a terminal, except under the test rigs that ask for one. */
const isHeadlessPlace = ({ env, stdinIsTerminal, stdoutIsTerminal }: LaunchContext): boolean =>
  !stdinIsTerminal ||
  !stdoutIsTerminal ||
  ((env.CI === "true" || env.GITHUB_ACTIONS === "true") && env.GEMINI_CLI_INTEGRATION_TEST !== "true")

const nonEmpty = (text: string): string | undefined => (text === "" ? undefined : text)

const pipedInteractive = (): UsageError =>
  new UsageError({
    message: "The --prompt-interactive flag cannot be used when input is piped from stdin",
    hint: "Use -p instead: the piped input is put before the prompt. Or start without the pipe or redirection.",
    exitCode: ExitCode.input
  })
