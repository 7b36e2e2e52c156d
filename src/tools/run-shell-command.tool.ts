/**
 * The `run_shell_command` tool. Whether a command may run is the policy's matter, substitutions included; here it is
 * checked for form, run, and reported. An exit code other than zero is an answer, not a failure of the call.
 */
import { relative } from "node:path"
import { Duration, Effect, Option, Schema } from "effect"
import { Workspace } from "../files/workspace.ts"
import { untrusted } from "../kernel/prompt-frames.ts"
import { joinedGrants, NO_GRANT } from "../sandbox/command-grants.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import type { ShellAnalysis } from "../shell/analysis/shell-analysis.ts"
import { ShellAnalyzer } from "../shell/analysis/shell-analyzer.ts"
import { BackgroundProcesses } from "../shell/background.ts"
import { alwaysPrefixes, hasRedirection, rootCommandsOf } from "../shell/command-prefix.ts"
import { PersonTerminal } from "../shell/person-terminal.ts"
import { Shell, type ShellRun } from "../shell/shell.ts"
import type { ShellError, ShellRequest, ShellResult } from "../shell/shell-command.ts"
import { statOrNone } from "../system/regular-file.ts"
import { invalidPath, pathNotAllowed } from "./file-failure.ts"
import { OutputSummarizer } from "./output-summarizer.ts"
import {
  AdditionalPermissions,
  ASKED_INSTEAD,
  expansionAfter,
  expansionBefore,
  grantedPrograms,
  grantOf,
  NOT_OPENED,
  sandboxNote
} from "./shell-expansion.ts"
import { type CallContext, defineTool, type PreparedCall, ToolFailure, type ToolOutput } from "./tool.ts"

/** What they tell of is the machine; inside a sandbox they would tell of the sandbox. They read, whatever their options. */
const SEES_MACHINE = new Set(
  "df du free htop hostname iostat last lsblk lscpu lsof lspci lsusb mount netstat nproc pgrep pidof ps pstree ss top uptime vmstat w who".split(
    " "
  )
)

const JOBS_ENDED =
  "Note: the line ran without a question, for reading only, so jobs of it that were still running ended with it. Use is_background to leave one."

const DEFAULT_DELAY_MS = 200
const LONGEST_SHOWN = 150

const Declared = Schema.Struct({
  command: Schema.String.annotations({ description: "The command, exactly as `bash -c` would get it." }),
  description: Schema.optional(
    Schema.String.annotations({
      description: "What the command does, in one short sentence for the user. No line breaks."
    })
  ),
  dir_path: Schema.optional(
    Schema.String.annotations({
      description:
        "Directory to run in, absolute or relative to the workspace. Must exist. Default: the workspace root."
    })
  ),
  is_background: Schema.optional(
    Schema.Boolean.annotations({
      description: "Leaves the command running and returns. For servers and watchers; use this instead of `&`."
    })
  ),
  delay_ms: Schema.optional(
    Schema.Int.pipe(Schema.between(0, 600_000)).annotations({
      description: "With is_background: milliseconds to wait for first output before returning. Default: 200."
    })
  )
})

const Accepted = Schema.Struct({
  ...Declared.fields,
  /** Milliseconds; not declared, because the settings have limits of their own, and kept where a model gives it. */
  timeout: Schema.optional(Schema.Int.pipe(Schema.between(1, 86_400_000))),
  /** Declared where there is a sandbox and somebody to ask (`from-config.ts`). */
  additional_permissions: Schema.optional(AdditionalPermissions),
  /** Set when a person changed the command before agreeing to it. */
  modified_by_user: Schema.optional(Schema.Boolean)
})
type Params = typeof Accepted.Type

type Needs = Sandbox | PersonTerminal | Shell | BackgroundProcesses | Workspace | ShellAnalyzer | OutputSummarizer

export const runShellCommand = defineTool({
  name: "run_shell_command",
  classNames: ["ShellTool"],
  displayName: "Shell",
  kind: "execute",
  description: [
    "Runs a command with `bash -c` (PowerShell on Windows) in its own process group, which can be ended with",
    "`kill -- -PGID` or signalled with `kill -s SIGNAL -- -PGID`. There is nobody to answer prompts and no pager: use",
    "options that make programs non-interactive, and quiet ones where the output would be long.",
    "The answer has these labels, those that do not apply left out:",
    "`Output` (stdout and stderr together), `Error` (the command could not be started), `Exit Code` (when not 0),",
    "`Signal` (number), `Background PIDs` (jobs left running), `Process Group PGID`."
  ].join(" "),
  params: Accepted,
  declares: Declared,
  prepare: Effect.fnUntraced(function* (params) {
    if (params.command.trim() === "") return yield* invalid("The command is empty.")
    const workspace = yield* Workspace
    const analyzer = yield* ShellAnalyzer
    const cwd = yield* folderOf(params.dir_path)
    const analysis = yield* analyzer.analyze(params.command)
    const call: PreparedCall<Needs> = {
      description: describe(params, relative(workspace.targetDir, cwd)),
      locations: params.dir_path === undefined ? [] : [{ path: cwd }],
      confirmation: Effect.succeed({
        type: "exec",
        title: "Run this shell command?",
        command: params.command,
        rootCommands: rootCommandsOf(analysis),
        ...(params.dir_path === undefined ? {} : { folder: cwd }),
        ...(params.is_background === true ? { isBackground: true } : {})
      }),
      narrowing: {
        by: "command",
        prefixes: alwaysPrefixes(analysis),
        allowRedirection: hasRedirection(analysis)
      },
      expansion: Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const { additional_permissions: asked } = params
        const stated = asked === undefined ? undefined : grantOf(asked)
        return yield* expansionBefore(sandbox, requestOf(params, cwd, analysis, {}), { analysis, stated })
      }),
      revise: (command) => Effect.succeed({ ...params, command: command.trimEnd(), modified_by_user: true }),
      run: (context) => Effect.map(run(params, context), (output) => withModification(params, output))
    }
    return call
  })
})

const requestOf = (
  params: Params,
  cwd: string,
  analysis: ShellAnalysis,
  context: Pick<CallContext, "isReading" | "isUnasked" | "opens">
): ShellRequest => {
  const roots = rootCommandsOf(analysis)
  return {
    command: params.command,
    cwd,
    isReading: context.isReading === true,
    isUnasked: context.isUnasked === true && !roots.some((name) => SEES_MACHINE.has(name)),
    usesGit: roots.includes("git"),
    programs: grantedPrograms(analysis),
    ...(context.opens === undefined ? {} : { opens: context.opens })
  }
}

/** Where nobody was asked, the model is told that its wish came to nothing. */
const unopenedNote = Effect.fnUntraced(function* (
  { additional_permissions: asked }: Params,
  { cwd, programs = [] }: ShellRequest,
  { canAsk, opens }: CallContext
) {
  if (asked === undefined || opens !== undefined || canAsk === true) return []
  const because = { _tag: "Stated", wish: grantOf(asked) } as const
  const lacking = yield* (yield* Sandbox).expansion({ cwd, how: { access: "write", commands: programs }, because })
  return lacking === undefined ? [] : [NOT_OPENED]
})

/** The same once more, with what a person opens to it. */
const retryOf = Effect.fnUntraced(function* (
  result: ShellResult,
  request: ShellRequest,
  again: (context: Pick<CallContext, "isUnasked" | "opens">) => Effect.Effect<ToolOutput, ToolFailure, Needs>
) {
  const found = yield* expansionAfter(yield* Sandbox, request, result)
  if (found === undefined) return {}
  const services = yield* Effect.context<Needs>()
  const { standing: _, ...once } = found
  const expansion = request.isUnasked === true ? { ...once, grant: NO_GRANT, opens: ASKED_INSTEAD } : found
  const grant = request.isUnasked === true ? {} : { opens: joinedGrants(request.opens ?? NO_GRANT, found.grant) }
  return {
    retry: { expansion, again: Effect.provide(again({ isUnasked: false, ...grant }), services) }
  } satisfies Pick<ToolOutput, "retry">
})

const run: (params: Params, context: CallContext) => Effect.Effect<ToolOutput, ToolFailure, Needs> = Effect.fnUntraced(
  function* (params: Params, context: CallContext) {
    const workspace = yield* Workspace
    const background = yield* BackgroundProcesses
    const shell = yield* Shell
    // Checked again: between the question and the answer a link may have been put in the folder's place.
    const path = yield* Effect.mapError(workspace.resolve(params.dir_path ?? ".", "write"), pathNotAllowed)
    const analyzer = yield* ShellAnalyzer
    const analysis = yield* analyzer.analyze(params.command)
    const request = requestOf(params, path.real, analysis, context)
    if (params.is_background !== true) {
      let shown = ""
      const progress = (text: string) =>
        Effect.zipRight(
          Effect.sync(() => (shown = text)),
          context.progress(text)
        )
      const person = yield* PersonTerminal
      // What only reads has nothing to ask.
      const size = context.isUnasked === true ? undefined : Option.getOrUndefined(yield* person.size)
      const running = Effect.mapError(
        size === undefined
          ? shell.run(request, progress)
          : shell.run({ ...request, terminal: size }, progress, person.offer),
        startFailure
      )
      const done = yield* params.timeout === undefined
        ? running
        : Effect.timeoutFail(running, {
            duration: Duration.millis(params.timeout),
            onTimeout: () => timedOut(params.timeout, shown)
          })
      if (done.isAside === true) return yield* leftRunning(done, shown)
      const isCut = request.isUnasked === true && analysis.hasBackground && done.result.backgroundPids.length === 0
      const notes = [...(yield* unopenedNote(params, request, context)), ...(isCut ? [JOBS_ENDED] : [])]
      const output = yield* report(done, notes)
      return { ...output, ...(yield* retryOf(done.result, request, (opens) => run(params, { ...context, ...opens }))) }
    }
    const delay = Duration.millis(params.delay_ms ?? DEFAULT_DELAY_MS)
    const started = yield* Effect.mapError(background.start(request, delay), startFailure)
    const unopened = yield* unopenedNote(params, request, context)
    if (started._tag === "Finished") return yield* report(started.run, unopened)
    const { entry, initialOutput } = started
    const note = [
      `The command is running in the background (PID: ${entry.pid}). Its output can be read with read_background_output.`,
      ...unopened
    ].join("\n")
    const text = initialOutput.trim() === "" ? note : `${note}\nInitial output:\n${initialOutput.trimEnd()}`
    return {
      forModel: untrusted(text),
      display: { type: "text", text },
      data: { pid: entry.pid, command: params.command, initialOutput }
    } satisfies ToolOutput as ToolOutput
  }
)

const leftRunning = Effect.fnUntraced(function* ({ command }: ShellRun, shown: string) {
  const background = yield* BackgroundProcesses
  const { pid } = yield* background.adopt(command)
  const note = `The user left the command running in the background (PID: ${pid}). Its output can be read with read_background_output.`
  const text = shown.trim() === "" ? note : `${note}\nOutput so far:\n${shown.trimEnd()}`
  return {
    forModel: untrusted(text),
    display: { type: "text", text: `It goes on in the background as ${pid}.` },
    data: { pid, command: command.command, initialOutput: shown }
  } satisfies ToolOutput as ToolOutput
})

/** The model must not take the answer for that to the command it had in mind. */
const withModification = ({ command, modified_by_user }: Params, output: ToolOutput): ToolOutput =>
  modified_by_user === true && typeof output.forModel === "string"
    ? { ...output, forModel: `The user changed the command before it ran. It was:\n${command}\n${output.forModel}` }
    : output

const report = Effect.fnUntraced(function* (done: ShellRun, notes: ReadonlyArray<string>) {
  const background = yield* BackgroundProcesses
  const summarizer = yield* OutputSummarizer
  const { result } = done
  if (result.backgroundPids.length > 0) yield* background.adoptJobs(done)
  const text = yield* summarizer.summarize([resultForModel(result), ...notes].join("\n"))
  const isError = result.exitCode !== 0
  return {
    forModel: untrusted(text),
    display: { type: "text", text: resultForPeople(result) },
    ...(isError ? { data: { exitCode: result.exitCode, isError: true } } : {})
  } satisfies ToolOutput as ToolOutput
})

const describe = (params: Params, folder: string): string => {
  const isShort = [...params.command.slice(0, 2 * LONGEST_SHOWN + 2)].length <= LONGEST_SHOWN
  const given = params.description?.replace(/\s+/g, " ").trim() ?? ""
  return [
    isShort || given === "" ? params.command : given,
    ...(params.dir_path === undefined ? [] : [`[in ${folder === "" ? "." : folder}]`]),
    ...(params.is_background === true ? ["[background]"] : [])
  ].join(" ")
}

const folderOf = Effect.fnUntraced(function* (given: string | undefined) {
  const workspace = yield* Workspace
  if (given === undefined) return workspace.targetDir
  const path = yield* Effect.mapError(workspace.resolve(given, "write"), invalidPath)
  const isFolder = statOrNone(path.real)?.isDirectory() === true
  return isFolder ? path.real : yield* invalid(`dir_path is not an existing directory: ${path.named}`)
})

const invalid = (message: string) => new ToolFailure({ type: "invalid_tool_params", message })

/** Interrupting the run has ended the whole group by now. */
const timedOut = (limit: number | undefined, shown: string) => {
  const ended = `The command was ended after the ${limit} ms of its timeout.`
  const message =
    shown.trim() === "" ? `${ended} There was no output.` : `${ended} Output until then:\n${untrusted(shown)}`
  return new ToolFailure({ type: "shell_execute_error", message, display: ended })
}

const startFailure = (error: ShellError) =>
  new ToolFailure({ type: "shell_execute_error", message: `Error: ${error.message}`, display: error.message })

/** What the model and people read about a finished shell command. The labels are a format that prompts rely on. */
const resultForModel = (result: ShellResult): string => {
  if (result.timedOut !== undefined) return timeoutText(result, result.timedOut)
  return [
    `Output: ${result.output === "" ? "(empty)" : result.output}`,
    ...labels(result),
    ...sandboxNote(result),
    ...(result.isOutputHeld && result.backgroundPids.length === 0
      ? ["Note: a process that this command started is still running and holds its output."]
      : [])
  ].join("\n")
}

const resultForPeople = (result: ShellResult): string => {
  if (result.timedOut !== undefined) return timeoutText(result, result.timedOut)
  if (result.output !== "") return result.output
  if (result.signal !== null) return `The command was ended by signal ${result.signal}.`
  if (result.exitCode !== null && result.exitCode !== 0) return `The command ended with exit code ${result.exitCode}.`
  return ""
}

const labels = ({ backgroundPids, exitCode, pid, signal }: ShellResult): ReadonlyArray<string> => [
  ...(exitCode !== null && exitCode !== 0 ? [`Exit Code: ${exitCode}`] : []),
  ...(signal === null ? [] : [`Signal: ${signal}`]),
  ...(backgroundPids.length === 0 ? [] : [`Background PIDs: ${backgroundPids.join(", ")}`]),
  `Process Group PGID: ${pid}`
]

/** In minutes, as the limits of commands mostly are. */
const silenceText = (silence: Duration.Duration): string =>
  Duration.lessThan(silence, "1 minute")
    ? `${Duration.toSeconds(silence)} seconds`
    : `${Duration.toMinutes(silence).toFixed(1)} minutes`

const timeoutText = ({ output }: ShellResult, { silence, tree }: NonNullable<ShellResult["timedOut"]>): string =>
  [
    `The command was ended because it timed out: ${silenceText(silence)} without output.`,
    "If it waits for input, give it the input on the command line; if it is a server, run it in the background.",
    ...(tree.killed.length === 0
      ? []
      : [`These processes did not end when asked and were killed: ${tree.killed.join(", ")}`]),
    ...(tree.survivors.length === 0 ? [] : [`These processes could not be ended: ${tree.survivors.join(", ")}`]),
    output === "" ? "There was no output before that." : `Output before that: ${output}`
  ].join("\n")
