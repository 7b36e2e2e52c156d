/**
 * The clock on the wall is set back and forth: durations and limits are measured by `kernel/monotonic-time.ts`. Whoever
 * needs the date is named here with the reason and the number of places, so that a duration does not slip in beside it.
 */
import ts from "typescript"

/** Every place in `src/` that may ask what date and time it is. */
const CALENDAR: ReadonlyArray<readonly [file: string, reads: number, why: string]> = [
  ["agents/remote/from-config.ts", 1, "tokens expire by the clock of who made them"],
  ["agents/run/agent-chat.ts", 1, "names the day to the model"],
  ["app/headless/input-stream.ts", 1, "the time of an event for its reader"],
  ["auth/api-key.ts", 1, "the date of a record"],
  ["auth/google/access-tokens.ts", 3, "tokens expire by the clock of who made them"],
  ["auth/google/account.ts", 2, "what is kept in a file ages between runs"],
  ["auth/google/stored-credentials.ts", 1, "the date of a record"],
  ["auth/google/token-endpoint.ts", 1, "tokens expire by the clock of who made them"],
  ["batch/api/create-job.ts", 2, "how long ago a job was reserved or uploaded, in another process perhaps"],
  ["batch/api/job-book.ts", 3, "the date of a record"],
  ["batch/api/run-jobs.ts", 1, "how long ago a job was reserved, in another process perhaps"],
  ["batch/api/service-calls.live.ts", 2, "Retry-After may name a date"],
  ["batch/rate/rate-gate.ts", 1, "a server names the date at which a quota returns"],
  ["batch/report/batch-events.ts", 1, "the time of an event for its reader"],
  ["batch/run-batch.ts", 1, "the date of a record"],
  ["batch/run/prepare-output.ts", 1, "the date of a record"],
  ["chat/answer.ts", 1, "a part of an id"],
  ["chat/error-report.ts", 1, "the name of a file"],
  ["cli/cached-answer.ts", 1, "compared with the dates of files"],
  ["cli/subcommands/auth.command.ts", 1, "a server names the date at which a quota returns"],
  ["cli/subcommands/budget.command.ts", 1, "processes share no other clock"],
  ["cli/subcommands/cache.command.ts", 1, "the age of records"],
  ["cli/subcommands/doctor/account-checks.ts", 2, "compared with dates of credentials and of the service"],
  ["cli/subcommands/doctor/machine-checks.ts", 1, "compared with the date of the build"],
  ["cli/subcommands/hooks-test.ts", 1, "the time of an event for its reader"],
  ["cli/subcommands/sessions.command.ts", 3, "the age of records"],
  ["cli/subcommands/stats.command.ts", 1, "the age of records"],
  ["cli/subcommands/undo.command.ts", 1, "the age of records"],
  ["cli/subcommands/update/release-source.ts", 1, "the age of records"],
  ["config/project-contents.ts", 1, "what is kept in a file ages between runs"],
  ["hooks/fire.ts", 1, "the time of an event for its reader"],
  ["mcp/oauth/authorization.live.ts", 1, "tokens expire by the clock of who made them"],
  ["mcp/oauth/google-providers.ts", 1, "tokens expire by the clock of who made them"],
  ["mcp/oauth/kept-logins.ts", 3, "tokens expire by the clock of who made them; the date of a record"],
  ["model/answer-body.ts", 1, "Retry-After may name a date"],
  ["model/backend-client.ts", 1, "Retry-After may name a date"],
  ["model/budget/budget-file.ts", 1, "processes share no other clock"],
  ["model/code-assist/edit-metrics.ts", 1, "the time of an event for its reader"],
  ["model/gemini/upload-file.live.ts", 1, "a server names the date at which a file goes"],
  ["model/routing/gemma-classifier.ts", 1, "Retry-After may name a date"],
  ["model/routing/give-up.ts", 1, "a server names the date at which a quota returns"],
  ["model/transport.ts", 1, "Retry-After may name a date"],
  ["output/stream-json-writer.ts", 1, "the time of an event for its reader"],
  ["prompt/system-prompt.ts", 1, "names the day to the model"],
  ["repl/editor/prompt-history.ts", 1, "the date of a record"],
  ["sandbox/confined-programs.ts", 1, "compared with the date of a folder"],
  ["sandbox/process/find-process-backend.ts", 1, "compared with the date of a folder"],
  ["serve/a2a/task-executor.live.ts", 1, "the time of an event for its reader"],
  ["session/browse/export-session.ts", 1, "the date of a record"],
  ["session/browse/manage-sessions.ts", 1, "the age of records"],
  ["session/browse/share.ts", 1, "the name of a file"],
  ["session/browse/upkeep.ts", 1, "the age of records"],
  ["session/checkpoint/prune-shadow.ts", 1, "the age of records"],
  ["session/checkpoint/save-checkpoint.ts", 2, "the age and the names of records"],
  ["session/checkpoint/shadow-repository.ts", 2, "the age of a lock, and the name of a folder"],
  ["session/from-config.ts", 1, "the age of records"],
  ["session/record/session-plan.ts", 1, "the date of a record"],
  ["session/record/session-recorder.ts", 1, "the date of a record"],
  ["session/undo/apply-undo.ts", 2, "the date of a record"],
  ["session/undo/open-run.ts", 1, "the date of a record"],
  ["session/undo/recorder.ts", 5, "the date of a record"],
  ["session/undo/refresh-tree.ts", 1, "compared with the dates of files"],
  ["session/undo/snapshots.ts", 1, "compared with the dates of files"],
  ["session/undo/undo.ts", 1, "the date of a record"],
  ["shell/background-tracking.ts", 2, "the date of a record"],
  ["slash/builtin/about.command.ts", 1, "the name of a file"],
  ["slash/builtin/stats.command.ts", 1, "a server names the date at which a quota returns"],
  ["slash/builtin/undo.command.ts", 1, "the age of records"],
  ["slash/session/chat.command.ts", 2, "the age of records"],
  ["system/lock.ts", 1, "compared with the date of a folder"],
  ["tools/glob.tool.ts", 1, "compared with the dates of files"]
]

const NAMED = new Map(CALENDAR.map(([file, reads]) => [`src/${file}`, reads]))

/** How the date can be asked for; schedules of Effect measure by it too. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Clock: new Set(["currentTimeMillis"]),
  Date: new Set(["now"]),
  DateTime: new Set(["now", "nowAsDate", "nowInCurrentZone", "unsafeNow"]),
  Effect: new Set(["cachedWithTTL", "cachedInvalidateWithTTL"]),
  Schedule: new Set(["elapsed", "upTo", "during", "windowed", "fixed", "cron", "resetAfter"])
}

/** The lines at which the text asks for the date. */
export const calendarReads = (text: string): ReadonlyArray<number> => {
  const source = ts.createSourceFile("read.ts", text, ts.ScriptTarget.Latest, true)
  const lines: Array<number> = []
  const visit = (node: ts.Node): void => {
    if (readsCalendar(node)) lines.push(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return lines
}

const readsCalendar = (node: ts.Node): boolean => {
  if (ts.isNewExpression(node)) {
    return ts.isIdentifier(node.expression) && node.expression.text === "Date" && (node.arguments ?? []).length === 0
  }
  // `Date()` is the time as text.
  if (ts.isCallExpression(node)) return ts.isIdentifier(node.expression) && node.expression.text === "Date"
  if (!ts.isPropertyAccessExpression(node)) return false
  if (node.name.text === "unsafeCurrentTimeMillis") return true
  return ts.isIdentifier(node.expression) && MEMBERS[node.expression.text]?.has(node.name.text) === true
}

/** What is wrong with a file, a line each; `named` is for tests. */
export const clockFaults = (
  file: string,
  text: string,
  named: ReadonlyMap<string, number> = NAMED
): ReadonlyArray<string> => {
  const lines = calendarReads(text)
  const allowed = named.get(file) ?? 0
  if (lines.length === allowed) return []
  if (lines.length < allowed) {
    return [`${file}: asks for the date ${lines.length} times, and scripts/lib/clocks.ts says ${allowed}`]
  }
  return lines.map(
    (line) =>
      `${file}:${line}: asks for the date: measure with kernel/monotonic-time.ts, or say in scripts/lib/clocks.ts what the date is for`
  )
}

/** Rows about files that are gone. */
export const goneClockRows = (files: ReadonlySet<string>): ReadonlyArray<string> =>
  [...NAMED.keys()]
    .filter((file) => !files.has(file))
    .map((file) => `${file}: named in scripts/lib/clocks.ts, and gone`)
