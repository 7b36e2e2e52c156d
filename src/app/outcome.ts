/** How every error of a run is shown: the text, what to do about it, the exit code. Exhaustive by tag, and in one place. */
import { Cause, Exit, Match, Option } from "effect"
import type { AuthError } from "../auth/auth-plan.ts"
import type { ChatError, LimitReached } from "../chat/chat-error.ts"
import type { BadOutputSchema } from "../chat/structured/schema-error.ts"
import type { InputError } from "../cli/stdin-content.ts"
import {
  type AnswerNotSaved,
  type CallsDenied,
  type ForbiddenMode,
  type NoInput,
  type UsageError,
  usageHelp
} from "../cli/usage-error.ts"
import type { ConfigError, UntrustedFolder } from "../config/config-error.ts"
import type { BudgetFileError } from "../model/budget/budget-file.ts"
import type { CassetteError } from "../model/cassette.ts"
import type { OutputError } from "../output/stdout.ts"
import type { PolicyError } from "../policy/policy-problem.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { FailureCode } from "../protocol/failure-help.ts"
import { type CompletionReason, type RunFailure, type RunOutcome, succeeded } from "../protocol/outcome.ts"
import { describeModelError } from "../retry/describe.ts"
import type { ModelErrorKind } from "../retry/model-error.ts"
import type { SandboxUnavailable } from "../sandbox/sandbox-unavailable.ts"
import type { SessionNotDeleted } from "../session/browse/delete-session.ts"
import type { SessionNotFound } from "../session/browse/session-choice.ts"
import type { SessionBusy, SessionExists } from "../session/record/open-session.ts"
import type { SessionUnreadable } from "../session/record/session-reader.ts"
import type { CommandError } from "../slash/command-error.ts"

/** What may reach the edge. A new member makes this file fail to compile until it says how it is shown. */
export type RunError =
  | UsageError
  | ConfigError
  | AuthError
  | CassetteError
  | BudgetFileError
  | PolicyError
  | PromptError
  | InputError
  | NoInput
  | UntrustedFolder
  | SandboxUnavailable
  | ForbiddenMode
  | CallsDenied
  | BadOutputSchema
  | CommandError
  | AnswerNotSaved
  | ChatError
  | OutputError
  | SessionNotFound
  | SessionUnreadable
  | SessionBusy
  | SessionExists
  | SessionNotDeleted

/** What a run ends with that was answered from what was kept. */
export const FROM_CACHE = Symbol("agent/app/FromCache")

/** The signal that asked the program to stop. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP"

export const outcomeOf = (exit: Exit.Exit<unknown, RunError>, stoppedBy: StopSignal | undefined): RunOutcome => {
  if (Exit.isSuccess(exit)) return exit.value === FROM_CACHE ? { ...succeeded, cached: true } : succeeded
  if (stoppedBy !== undefined && Cause.isInterrupted(exit.cause)) return stopped(stoppedBy)
  return Option.match(Cause.failureOption(exit.cause), { onNone: () => defect(exit.cause), onSome: failureOf })
}

const stopped = (signal: StopSignal): RunOutcome => {
  const code = { SIGINT: ExitCode.sigint, SIGTERM: ExitCode.sigterm, SIGHUP: ExitCode.sighup }[signal]
  return outcome("cancelled", code, {
    type: "FatalCancellationError",
    message: `cancelled by ${signal}`,
    help: "cancelled"
  })
}

const defect = (cause: Cause.Cause<unknown>): RunOutcome => {
  const [first] = Cause.prettyErrors(cause)
  return outcome("internal", ExitCode.internal, {
    type: "InternalError",
    message: `internal error: ${first?.message ?? "unknown"}`,
    hint: "This is a bug in gemini; --debug shows where. Please report it.",
    help: "internal"
  })
}

/** How one error is shown. */
export const failureOf: (error: RunError) => RunOutcome = Match.type<RunError>().pipe(
  Match.tagsExhaustive({
    UsageError: (error) =>
      outcome(error.exitCode === ExitCode.input ? "input" : "config", error.exitCode, {
        type: error.exitCode === ExitCode.input ? "FatalInputError" : "Error",
        message: error.message,
        hint: error.hint,
        help: usageHelp(error)
      }),
    ConfigError: (error) =>
      outcome("config", ExitCode.config, {
        type: "FatalConfigError",
        message: error.message,
        hint: "`gemini config validate` lists all problems.",
        help: "bad-settings"
      }),
    AuthError: (error) => {
      const hint = { ...(error.hint === undefined ? {} : { hint: error.hint }), help: error.help }
      return error.reason === "invalid-endpoint"
        ? outcome("config", ExitCode.config, { type: "FatalConfigError", message: error.message, ...hint })
        : outcome("auth", ExitCode.authentication, {
            // A plain one in the reference, and drivers look for it.
            type: error.reason === "enforced-mismatch" ? "Error" : "FatalAuthenticationError",
            message: error.message,
            ...hint
          })
    },
    BudgetFileError: (error) =>
      outcome("config", ExitCode.config, {
        type: "FatalConfigError",
        message: error.message,
        hint: error.advice,
        help: "bad-budget"
      }),
    CassetteError: (error) =>
      outcome("input", ExitCode.input, { type: "FatalInputError", message: error.message, help: "bad-cassette" }),
    PolicyError: (error) =>
      outcome("config", ExitCode.config, { type: "FatalConfigError", message: error.message, help: "bad-policy" }),
    PromptError: (error) =>
      outcome("config", ExitCode.config, {
        type: "FatalConfigError",
        message: error.message,
        hint: `Correct the path, or take ${error.variable} away.`,
        help: "bad-system-prompt"
      }),
    InputError: (error) =>
      outcome("input", ExitCode.input, { type: "FatalInputError", message: error.message, help: "bad-input" }),
    NoInput: (error) =>
      outcome("input", ExitCode.input, {
        type: "FatalInputError",
        message: error.message,
        hint: error.advice,
        help: "no-prompt"
      }),
    UntrustedFolder: (error) =>
      outcome("config", ExitCode.untrusted, {
        type: "FatalUntrustedWorkspaceError",
        message: error.message,
        hint: "Add --skip-trust to trust it for this run, or set GEMINI_CLI_TRUST_WORKSPACE=true.",
        help: "untrusted"
      }),
    SandboxUnavailable: (error) =>
      outcome("config", ExitCode.sandbox, {
        type: "FatalSandboxError",
        message: error.message,
        hint: error.advice,
        help: "no-sandbox"
      }),
    ForbiddenMode: (error) =>
      outcome("config", ExitCode.config, {
        type: "FatalConfigError",
        message: error.message,
        hint:
          error.managedAt === undefined
            ? "Choose another approval mode."
            : `Your administrator turned it off (${error.managedAt}). Choose another approval mode.`,
        help: "forbidden-mode"
      }),
    CallsDenied: (error) =>
      outcome("denied", ExitCode.denied, {
        type: "FatalToolExecutionError",
        message: error.message,
        hint: "permission_denials in the json output says why, and what would allow them.",
        help: "calls-denied"
      }),
    ModelError: (error) => {
      const { completionReason, help, hint, message } = describeModelError(error)
      if (error.kind === "budget") {
        return outcome("budget", ExitCode.limit, {
          type: LIMITS.cost.type,
          message,
          help,
          ...(hint === undefined ? {} : { hint })
        })
      }
      // Whoever says so, we or the server: without other credentials nothing will come of it.
      const { exitCode, type } = MODEL_FAILURES[error.kind] ?? { exitCode: ExitCode.general, type: "Error" }
      return outcome(completionReason, exitCode, {
        type,
        message,
        help,
        ...(hint === undefined ? {} : { hint }),
        ...(error.status === undefined ? {} : { code: error.status, status: error.status })
      })
    },
    InvalidAnswer: (error) =>
      outcome("empty", ExitCode.general, {
        type: "INVALID_STREAM",
        message: error.message,
        hint: ANSWER_HINTS[error.kind] ?? "Ask again, or put the question differently.",
        help: "no-answer"
      }),
    LimitReached: (error) => {
      const { flag, reason, type } = LIMITS[error.limit]
      return outcome(reason, ExitCode.limit, {
        type,
        message: error.message,
        hint: `Raise it with ${flag}.`,
        help: "limit"
      })
    },
    UnpricedModel: (error) =>
      outcome("config", ExitCode.config, {
        type: "FatalConfigError",
        message: error.message,
        hint: "Give its price in the setting run.prices, or limit the run by --max-tokens.",
        help: "no-price"
      }),
    CommandError: (error) =>
      error.kind === "denied"
        ? outcome("denied", ExitCode.tool, {
            type: "FatalToolExecutionError",
            message: error.detail,
            ...hintOf(error),
            help: "command-denied"
          })
        : outcome("input", ExitCode.input, {
            type: "FatalInputError",
            message: error.detail,
            ...hintOf(error),
            help: "bad-command"
          }),
    BadOutputSchema: (error) =>
      outcome("input", ExitCode.input, { type: "FatalInputError", message: error.message, help: "bad-schema" }),
    SchemaMismatch: (error) =>
      outcome("schema", ExitCode.schema, {
        type: "OutputSchemaError",
        message: error.message,
        hint: "Make the schema simpler or the prompt clearer; the last answer is kept as the response.",
        help: "schema-mismatch"
      }),
    AnswerNotSaved: (error) =>
      outcome("input", ExitCode.general, {
        type: "Error",
        message: error.message,
        hint: "The answer itself is complete; check the folder, its permissions and the space on the disk.",
        help: "answer-file"
      }),
    LoopDetected: (error) =>
      outcome("loop", ExitCode.general, {
        type: "LoopDetectedError",
        message: error.message,
        hint: "Put the task differently or in smaller steps; the setting model.disableLoopDetection turns this check off.",
        help: "loop"
      }),
    ContextOverflow: (error) =>
      outcome("input", ExitCode.general, {
        type: "ContextOverflowError",
        message: error.message,
        hint:
          error.usedShare > LONG_CONVERSATION
            ? "The conversation is long: /compress shortens it, or begin a new session."
            : "Give less at once: name files instead of piping them in, or begin a new session.",
        help: "too-long"
      }),
    FatalToolError: (error) =>
      outcome("tool", ExitCode.tool, {
        type: "FatalToolExecutionError",
        message: error.message,
        code: error.type,
        help: "tool-failed"
      }),
    SessionNotFound: (error) =>
      sessionFailure("no-session", error.message, "gemini --list-sessions shows what there is."),
    SessionUnreadable: (error) =>
      sessionFailure("bad-session", error.message, "gemini sessions verify says what is wrong."),
    SessionBusy: (error) =>
      sessionFailure("session-busy", error.message, "Wait for it, or add --fork to go on in a copy."),
    SessionExists: (error) =>
      sessionFailure("session-exists", error.message, "Go on with it by --resume, or choose another id."),
    SessionNotDeleted: (error) =>
      outcome("input", ExitCode.general, { type: "Error", message: error.message, help: "session-kept" }),
    OutputError: (error) =>
      error.kind === "closed"
        ? succeeded
        : outcome("internal", ExitCode.general, { type: "Error", message: error.message, help: "output-failed" })
  })
)

const MODEL_FAILURES: Readonly<Partial<Record<ModelErrorKind, { readonly exitCode: number; readonly type: string }>>> =
  {
    auth: { exitCode: ExitCode.authentication, type: "FatalAuthenticationError" },
    miss: { exitCode: ExitCode.tool, type: "CassetteMissError" }
  }

/** The share of the window from which on a conversation is worth being shortened. */
const LONG_CONVERSATION = 0.25

const OUT_OF_ROOM = "Ask again; where the conversation is long, /compress shortens it and leaves more room to answer."
const BLOCKED = "Put the question differently, or leave out what the filter may take offence at."

/** By the kind of an answer that cannot be used. */
const ANSWER_HINTS: Readonly<Partial<Record<string, string>>> = {
  NO_RESPONSE_TEXT: "Ask again: it may pass by itself.",
  THINKING_ONLY_RESPONSE: OUT_OF_ROOM,
  MAX_TOKENS_EXCEEDED: OUT_OF_ROOM,
  SAFETY_BLOCKED: BLOCKED,
  RECITATION_BLOCKED: BLOCKED,
  OTHER_BLOCKED: BLOCKED
}

const hintOf = ({ advice }: CommandError) => (advice === undefined ? {} : { hint: advice })

const LIMITS: Readonly<
  Record<LimitReached["limit"], { readonly reason: CompletionReason; readonly type: string; readonly flag: string }>
> = {
  turns: { reason: "max_turns", type: "FatalTurnLimitedError", flag: "--max-turns" },
  time: { reason: "timeout", type: "FatalTimeLimitedError", flag: "--max-time" },
  tool_calls: { reason: "max_tool_calls", type: "FatalToolCallLimitedError", flag: "--max-tool-calls" },
  tokens: { reason: "budget", type: "FatalBudgetLimitedError", flag: "--max-tokens" },
  cost: { reason: "budget", type: "FatalBudgetLimitedError", flag: "--max-cost" }
}

const sessionFailure = (help: FailureCode, message: string, hint: string): RunOutcome =>
  outcome("input", ExitCode.input, { type: "FatalInputError", message, hint, help })

/** The exit code is what a script branches on, unless the failure has a code of its own. */
const outcome = (completionReason: CompletionReason, exitCode: number, failure: RunFailure): RunOutcome => ({
  completionReason,
  exitCode,
  failure: { code: exitCode, ...failure }
})
