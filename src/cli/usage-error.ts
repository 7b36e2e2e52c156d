/**
 * What a command line asks for and cannot have. One that cannot be read is shown as one line and a hint, never as the whole
 * help page.
 */
import { Schema } from "effect"
import { oneLine } from "../kernel/one-line.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { FailureCode } from "../protocol/failure-help.ts"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  /** One line: which argument, and what is wrong with it. */
  message: Schema.String,
  /** One line: what to write instead. */
  hint: Schema.String,
  /** 42 where the input does not fit the terminal, 52 where an administrator forbids it, 44 without the sandbox that is asked for, 41 without credentials, else 1. */
  exitCode: Schema.Literal(ExitCode.general, ExitCode.authentication, ExitCode.input, ExitCode.config, ExitCode.sandbox)
}) {}

/** Where more is said about it: what stands behind its exit code. */
export const usageHelp = ({ exitCode }: Pick<UsageError, "exitCode">): FailureCode => USAGE_HELP[exitCode]

const USAGE_HELP: Readonly<Record<UsageError["exitCode"], FailureCode>> = {
  [ExitCode.general]: "bad-usage",
  [ExitCode.authentication]: "no-auth",
  [ExitCode.input]: "bad-input",
  [ExitCode.config]: "managed",
  [ExitCode.sandbox]: "no-sandbox"
}

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

/** A setting forbids what the command line asks for. */
export class ForbiddenMode extends Schema.TaggedError<ForbiddenMode>()("ForbiddenMode", {
  mode: Schema.String,
  setting: Schema.String,
  /** Where the administrator decides, whose setting it is. */
  managedAt: Schema.optional(Schema.String)
}) {
  override get message() {
    return `approval mode ${this.mode} is forbidden by ${this.setting}`
  }
}

/** There is no prompt, or what was given cannot be one. */
export class NoInput extends Schema.TaggedError<NoInput>()("NoInput", {
  detail: Schema.String,
  advice: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** Calls were refused, and the command line asks that this counts as a failure. */
export class CallsDenied extends Schema.TaggedError<CallsDenied>()("CallsDenied", {
  tools: Schema.Array(Schema.String)
}) {
  override get message() {
    return `tool calls were denied: ${this.tools.join(", ")}`
  }
}

/** The run succeeded, but its answer could not be written to the file that was named. */
export class AnswerNotSaved extends Schema.TaggedError<AnswerNotSaved>()("AnswerNotSaved", {
  file: Schema.String,
  /** Such as `EACCES`, `ENOSPC`. */
  code: Schema.String
}) {
  override get message() {
    return `--last-message-file: ${this.file} cannot be written (${this.code})`
  }
}
