/** A command line that cannot be carried out. Shown as one line and a hint, never as the whole help page. */
import { Schema } from "effect"
import { oneLine } from "../kernel/one-line.ts"
import { ExitCode } from "../protocol/exit-code.ts"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  /** One line: which argument, and what is wrong with it. */
  message: Schema.String,
  /** One line: what to write instead. */
  hint: Schema.String,
  /** 42 where the input does not fit the terminal, 52 where an administrator forbids it, 44 without the sandbox that is asked for, 41 without credentials, else 1. */
  exitCode: Schema.Literal(ExitCode.general, ExitCode.authentication, ExitCode.input, ExitCode.config, ExitCode.sandbox)
}) {}

/** The texts may quote what was typed: they are brought to one line of bearable length. */
export const usageError = (message: string, hint = "See gemini --help."): UsageError =>
  new UsageError({
    message: oneLine(message, LINE_LENGTH),
    hint: oneLine(hint, LINE_LENGTH),
    exitCode: ExitCode.general
  })

/** `what` stands before a verb: `MCP`, `Extensions`. */
export const disabledByAdmin = (what: string): UsageError =>
  new UsageError({
    message: `${what} cannot be used: your administrator turned it off`,
    hint: "Settings of an organisation are managed at https://goo.gle/manage-gemini-cli.",
    exitCode: ExitCode.config
  })

/** More words than the sub-command takes: perhaps they were meant for the model. */
export const surplusArgument = (subcommand: string, argument: string): UsageError =>
  usageError(`Unknown argument "${argument}"`, `See gemini ${subcommand} --help; to send a prompt, use -p.`)

const LINE_LENGTH = 200
