/** What a sub-command may use of the process: variables, folder, and where results and diagnostics go. */
import { Context, type Effect } from "effect"
import type { TendRequest } from "../batch/api/tend-jobs.ts"
import type { BatchRequest } from "../batch/batch-request.ts"
import type { SessionEntry } from "../session/browse/session-list.ts"
import type { SummarizedSession } from "../slash/session/summarize-sessions.ts"
import type { AskLine } from "./answers.ts"
import type { UsageError } from "./usage-error.ts"

export interface CliContextView {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Results: standard output. */
  readonly write: (text: string) => Effect.Effect<void>
  /** Diagnostics: standard error. */
  readonly writeError: (text: string) => Effect.Effect<void>
  /** A line that shows how far something is and does not stay; absent where nobody watches. */
  readonly status?: (line: string) => Effect.Effect<void>
  /** Asks the person at the terminal; absent where there is none. */
  readonly confirm?: (question: string) => Effect.Effect<boolean>
  /** Puts a question and reads one line, from a terminal or from a pipe that has an answer. */
  readonly ask: AskLine
  /**
   * Asks a model for titles of sessions; an exit code where that could not be begun, and why has been said then. Absent
   * where there is no model to ask.
   */
  readonly summarize?: (
    sessions: ReadonlyArray<SessionEntry>
  ) => Effect.Effect<ReadonlyArray<SummarizedSession> | number>
  /** Offers this agent to an MCP client on standard input and output, until it leaves. Flags of a run; the exit code. */
  readonly serve: (flags: ReadonlyArray<string>) => Effect.Effect<number, UsageError>
  /** Takes tasks of other agents until the program is stopped; the exit code. */
  readonly serveTasks: (request: A2aRequest) => Effect.Effect<number, UsageError>
  /** Answers the items of a batch; the exit code. */
  readonly batch: (request: BatchRequest) => Effect.Effect<number>
  /** What is done about the jobs that a batch made; the exit code. */
  readonly tendJobs: (request: TendRequest) => Effect.Effect<number>
}

export interface A2aRequest {
  /** Of each task's run. */
  readonly flags: ReadonlyArray<string>
  readonly port: string | undefined
  readonly host: string | undefined
  /** Of every task. */
  readonly workspace: string | undefined
  readonly needsToken: boolean
}

export class CliContext extends Context.Tag("agent/cli/CliContext")<CliContext, CliContextView>() {}
