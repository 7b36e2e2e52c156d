/**
 * From a command line to an exit code. Every path through here ends with one result in the format that was asked for,
 * also when the command line or the settings are bad; nothing escapes as an exception.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Either } from "effect"
import { type CommandLine, readCommandLine } from "../cli/command-line.ts"
import { sniffOutputFormat } from "../cli/output-format-sniff.ts"
import type { PromptProgram } from "../cli/program/read-program.ts"
import { extraEventsOf, hasNamedTexts, type RunOptions } from "../cli/run-options.ts"
import { NoInput } from "../cli/usage-error.ts"
import { UntrustedFolder } from "../config/config-error.ts"
import { type LoadedConfig, type LoadInput, loadConfig } from "../config/load.ts"
import { closePrivateFiles } from "../config/private-files.ts"
import { companionOf, editorTrust } from "../ide/from-config.ts"
import { lazy } from "../kernel/lazy.ts"
import { version } from "../kernel/version.ts"
import { quiet, Stderr } from "../output/stderr.ts"
import type { Stdout } from "../output/stdout.ts"
import { SessionId } from "../protocol/ids.ts"
import { wishOf } from "../sandbox/from-config.ts"
import { sanitized } from "../session/record/session-name.ts"
import { codeOf } from "../system/atomic-write.ts"
import type { ProcessFacts } from "./facts.ts"
import { headlessRun } from "./headless/run.ts"
import { maxTimeOf } from "./plan-limits.ts"
import { inputError, print, type RunPresentation, report, sniffed } from "./report.ts"

/** The exit code of the process. Interruption ends the run early; its result is written all the same. */
export const start = (facts: ProcessFacts): Effect.Effect<number, never, Stdout | Stderr> => {
  const command = facts.profile.of("parse_arguments", () => readCommandLine(facts.argv, facts))
  if (Either.isLeft(command)) return report(facts, sniffed(facts), Effect.fail(command.left))
  switch (command.right._tag) {
    case "Version":
      return print(`${version}\n`)
    case "Help":
      return Effect.flatMap(
        lazy(() => import("../cli/generated/help.ts")),
        (help) => print(help.rootHelp)
      )
    case "Manual":
      return manualPage(facts, command.right.topic)
    case "Subcommand":
      return startSubcommand(facts, command.right)
    case "Program":
      return runProgram(facts, command.right)
    case "Run":
      return startRun(facts, command.right)
  }
}

const startSubcommand = (facts: ProcessFacts, named: Extract<CommandLine, { readonly _tag: "Subcommand" }>) =>
  Effect.flatMap(
    lazy(() => import("./subcommand.ts")),
    ({ runSubcommand }) => runSubcommand(facts, named)
  )

const runProgram = Effect.fnUntraced(function* (
  facts: ProcessFacts,
  call: Extract<CommandLine, { readonly _tag: "Program" }>
) {
  const { readProgram } = yield* lazy(() => import("../cli/program/read-program.ts"))
  const read = yield* Effect.either(readProgram(call, facts))
  if (Either.isLeft(read)) return yield* report(facts, sniffed(facts), Effect.fail(read.left))
  if (read.right._tag === "Help") return yield* print(read.right.text)
  const isTyped = sniffOutputFormat(facts.argv) !== undefined
  const told = isTyped ? facts : { ...facts, argv: [...facts.argv, ...read.right.formatFlags] }
  if (read.right._tag === "Failed") return yield* report(told, sniffed(told), Effect.fail(read.right.error))
  const { options, program, prompt } = read.right
  return yield* startRun(told, { _tag: "Run", options, mode: { _tag: "Headless", prompt }, notices: [], program })
})

interface GivenRun extends Extract<CommandLine, { readonly _tag: "Run" }> {
  readonly program?: PromptProgram
}

const startRun = (facts: ProcessFacts, given: GivenRun) => {
  const { options } = given
  const placed = options.demo
    ? runDemo(facts, given)
    : options.cwd === undefined
      ? runThere(facts, given)
      : runIn(options.cwd, facts, given)
  const told = options.profile ? Effect.tap(placed, reportStart(facts)) : placed
  return options.quiet ? Effect.updateService(told, Stderr, quiet) : told
}

/** `--cwd`: the process itself goes there, so that everything that it starts is there too. */
const runIn = (folder: string, facts: ProcessFacts, given: GivenRun) =>
  Effect.suspend(() => {
    const cwd = resolve(facts.cwd ?? "/", folder)
    const gone = Either.try({ try: () => process.chdir(cwd), catch: codeOf })
    return Either.isLeft(gone)
      ? report(facts, sniffed(facts), inputError(`--cwd: cannot work in ${cwd} (${gone.left})`))
      : runThere({ ...facts, cwd, env: { ...facts.env, PWD: cwd } }, given)
  })

/** In a folder of its own, with a file to change, and nothing of the user's that could join in. */
const runDemo = (facts: ProcessFacts, given: Extract<CommandLine, { readonly _tag: "Run" }>) =>
  Effect.gen(function* () {
    const { demoFile, demoPrompt } = yield* lazy(() => import("../model/demo-cassette.ts"))
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "gemini-demo-")))
    writeFileSync(join(folder, demoFile.name), demoFile.text)
    process.chdir(folder)
    const isConversation = given.mode._tag === "Interactive"
    const options: RunOptions = {
      ...given.options,
      skipTrust: true,
      bare: true,
      ephemeral: true,
      ...(isConversation || given.options.approvalMode !== undefined ? {} : { approvalMode: "auto_edit" })
    }
    const mode = isConversation ? { ...given.mode, firstPrompt: given.mode.firstPrompt ?? demoPrompt } : given.mode
    return yield* Effect.ensuring(
      run({ ...facts, cwd: folder, env: { ...facts.env, PWD: folder } }, { ...given, mode, options }),
      Effect.sync(() => {
        process.chdir(tmpdir())
        rmSync(folder, { recursive: true, force: true })
      })
    )
  })

/** In a worktree, where one is asked for. */
const runThere = (facts: ProcessFacts, given: GivenRun) => {
  const { worktree } = given.options
  if (worktree === undefined) return run(facts, given)
  return Effect.gen(function* () {
    const { enterWorktree, leaveWorktree } = yield* lazy(() => import("../cli/worktree.ts"))
    // Making it runs programs that the repository may name, its filters for one.
    const read = yield* Effect.either(configOf(facts, given.options, {}))
    if (Either.isLeft(read)) return yield* report(facts, sniffed(facts), Effect.fail(read.left))
    if (read.right.trust.trust !== "trusted") {
      const because = "--worktree runs what the configuration of its git names"
      return yield* report(facts, sniffed(facts), new UntrustedFolder({ folder: facts.cwd ?? "/", because }))
    }
    const entered = yield* Effect.either(enterWorktree(worktree, facts.cwd ?? "/", facts.env))
    if (Either.isLeft(entered)) return yield* report(facts, sniffed(facts), Effect.fail(entered.left))
    const cwd = entered.right.folder
    process.chdir(cwd)
    return yield* Effect.ensuring(
      run({ ...facts, cwd, env: { ...facts.env, PWD: cwd } }, given),
      Effect.ignore(leaveWorktree(entered.right, facts.env))
    )
  })
}

const manualPage = ({ cwd, env, stdoutIsTerminal }: ProcessFacts, topic: string) =>
  Effect.flatMap(
    lazy(() => import("../cli/manual.ts")),
    ({ showManual }) => showManual(topic, { env, cwd: cwd ?? "/", isTerminal: stdoutIsTerminal, print })
  )

const reportStart = ({ profile }: ProcessFacts) =>
  Effect.gen(function* () {
    const stderr = yield* Stderr
    const { profileText } = yield* lazy(() => import("../output/start-profile-text.ts"))
    yield* stderr.write(profileText(profile))
  })

const run = Effect.fnUntraced(function* (started: ProcessFacts, { mode, notices, options: typed, program }: GivenRun) {
  const named = yield* Effect.either(namedTexts(typed, started))
  if (Either.isLeft(named)) return yield* report(started, sniffed(started), Effect.fail(named.left))
  const { given, options } = named.right
  yield* Effect.forEach(notices, (yield* Stderr).notice, { discard: true })
  if (options.apiKey !== undefined) yield* (yield* Stderr).notice(KEY_IN_SIGHT)
  const facts = options.apiKey === undefined ? started : withKey(started, options.apiKey)
  // Bounded and fast; a signal is heeded right after, when it is known in which format to answer it.
  const read = yield* Effect.uninterruptible(
    Effect.either(facts.profile.during("load_settings", configOf(facts, options, { given })))
  )
  if (Either.isLeft(read)) return yield* report(facts, sniffed(facts), Effect.fail(read.left))
  // The sessions of an editor each have a companion of their own, for their own folder.
  const companion =
    mode._tag === "Editor"
      ? undefined
      : yield* companionOf(read.right, {
          ...facts,
          ideMode: options.ideMode,
          canBeTurnedOn: mode._tag === "Interactive"
        })
  const trustedByEditor = companion === undefined ? undefined : yield* editorTrust(read.right, companion)
  const config =
    trustedByEditor === undefined ? read : yield* Effect.either(configOf(facts, options, { given, trustedByEditor }))
  if (Either.isLeft(config)) return yield* report(facts, sniffed(facts), Effect.fail(config.left))
  const { settings, storage } = config.right
  if (options.worktree !== undefined && !settings.get("experimental.worktrees")) {
    return yield* report(
      facts,
      sniffed(facts),
      inputError("--worktree is forbidden by the setting experimental.worktrees")
    )
  }
  const format = options.outputFormat ?? settings.get("output.format")
  if (options.listSessions || options.deleteSession !== undefined) {
    const { manageSessions } = yield* lazy(() => import("../session/browse/manage-sessions.ts"))
    const told = yield* Effect.either(manageSessions({ deleteSession: options.deleteSession, format }, config.right))
    return yield* Either.isRight(told) ? print(told.right) : report(facts, sniffed(facts), Effect.fail(told.left))
  }
  if (options.listExtensions) {
    const { listedExtensions } = yield* lazy(() => import("../extensions/list-extensions.ts"))
    return yield* print(yield* listedExtensions(config.right, { format, named: options.extensions }))
  }
  if (options.debug || (config.right.environment.get("GEMINI_DEBUG_LOG_FILE") ?? "") !== "") {
    const { secretsIn } = yield* lazy(() => import("../config/secrets.ts"))
    facts.learnSecrets(secretsIn(config.right))
    const { logConfig } = yield* lazy(() => import("../config/debug-facts.ts"))
    yield* logConfig(config.right)
  }
  const closed = options.ephemeral ? 0 : closePrivateFiles(storage.userDir, facts.platform)
  if (closed > 0) yield* (yield* Stderr).notice(closedNotice(storage.userDir, closed))
  const presentation: RunPresentation = {
    format,
    model: options.model ?? "auto",
    raw: options.rawOutput || options.acceptRawOutputRisk,
    animates: !options.noProgress && !(options.screenReader ?? settings.get("ui.accessibility.screenReader")),
    extraEvents: extraEventsOf(options, settings.get("output.events")),
    tellsSteps: options.verbose && format !== "stream-json",
    onlyCode: options.code,
    // A bad one is told by the plan of the run.
    maxTime: Either.getOrUndefined(maxTimeOf({ options, settings, environment: config.right.environment }))
  }
  if (options.code && format !== "text") {
    return yield* report(facts, presentation, inputError("--code prints text, and the setting output.format does not"))
  }
  const events = options.events === undefined ? undefined : yield* eventsOf(options.events, facts)
  if (events !== undefined && Either.isLeft(events)) return yield* report(facts, presentation, inputError(events.left))
  const folders = [...(options.includeDirectories ?? []), ...settings.get("context.includeDirectories")]
  if (options.extensions !== undefined || folders.length > 0) {
    const { checkNames } = yield* lazy(() => import("../cli/named-on-command-line.ts"))
    const names = yield* Effect.either(checkNames(options, config.right))
    if (Either.isLeft(names)) return yield* report(facts, presentation, Effect.fail(names.left))
    yield* Effect.forEach(names.right, (yield* Stderr).notice, { discard: true })
  }
  const session = yield* Effect.either(
    sessionOf(facts, options, { config: config.right, isInteractive: mode._tag === "Interactive" })
  )
  if (Either.isLeft(session)) return yield* report(facts, presentation, Effect.fail(session.left))
  const resumed = { ...facts, sessionId: session.right?.sessionId ?? facts.sessionId }
  const wish = wishOf(config.right, options.sandbox)
  if (Either.isRight(wish) && wish.right !== undefined) {
    const { hopInside } = yield* lazy(() => import("../cli/hop-inside.ts"))
    const code = yield* Effect.either(
      hopInside({ facts: resumed, options, config: config.right, mode, wish: wish.right })
    )
    if (Either.isLeft(code)) return yield* report(resumed, presentation, Effect.fail(code.left))
    if (code.right !== undefined) return code.right
  }
  if (mode._tag === "Interactive") {
    const { lineRun } = yield* lazy(() => import("./line/terminal.ts"))
    const start = { companion, trustedByEditor, mode, session: session.right?.plan }
    return yield* lineRun({ config: config.right, facts: resumed, options, ...start })
  }
  if (mode._tag === "Editor") {
    const { editorRun } = yield* lazy(() => import("./editor.ts"))
    return yield* editorRun({ config: config.right, facts, options })
  }
  if (options.inputFormat === "stream-json") {
    if (format !== "stream-json") {
      return yield* report(facts, presentation, inputError("--input-format stream-json needs -o stream-json"))
    }
    const { inputStreamRun } = yield* lazy(() => import("./headless/input-stream.ts"))
    return yield* inputStreamRun({
      config: config.right,
      facts: resumed,
      format,
      options,
      prompt: undefined,
      readsStdin: false,
      session: session.right?.plan
    })
  }
  const prompt = mode._tag === "Headless" ? mode.prompt : undefined
  return yield* report(
    resumed,
    events === undefined ? presentation : { ...presentation, events: events.right },
    headlessRun({
      config: config.right,
      facts: resumed,
      format,
      options,
      program,
      prompt,
      readsStdin: program?.stdin !== "none",
      companion,
      session: session.right?.plan
    })
  )
}, Effect.scoped)

const KEY_IN_SIGHT =
  "[WARNING] --api-key: every user of this machine can read it in the list of processes, and your shell keeps it; GEMINI_API_KEY or /auth are safer"

/** Whoever asks for the key finds it where a key is looked for first. */
const withKey = (facts: ProcessFacts, key: string): ProcessFacts => ({
  ...facts,
  env: { ...facts.env, GEMINI_API_KEY: key }
})

const closedNotice = (folder: string, count: number): string =>
  `[INFO] ${count === 1 ? "one entry" : `${count} entries`} in ${folder} could be read by other users of this machine; closed`

/** `undefined`: nothing was said about it, and a new session begins. */
const sessionOf = Effect.fnUntraced(function* (
  facts: ProcessFacts,
  options: RunOptions,
  { config, isInteractive }: { readonly config: LoadedConfig; readonly isInteractive: boolean }
) {
  const isSaid = [options.resume, options.sessionFile, options.sessionId].some((said) => said !== undefined)
  if (!isSaid && !options.continue) return undefined
  const { planSession } = yield* lazy(() => import("../session/record/session-plan.ts"))
  const plan = yield* planSession({ options, config, isInteractive, freshId: facts.sessionId })
  return { plan, sessionId: SessionId.make(sanitized(plan.start.sessionId)) }
})

const eventsOf = (file: string, { cwd }: ProcessFacts) =>
  Effect.map(
    lazy(() => import("../output/events-file.ts")),
    ({ openEvents }) => openEvents(file, cwd ?? "/")
  )

/** Options that name a file in place of a text, with what it holds. */
const namedTexts = Effect.fnUntraced(function* (options: RunOptions, { cwd = "/" }: ProcessFacts) {
  if (!hasNamedTexts(options)) return { options, given: undefined }
  const { readNamedTexts } = yield* lazy(() => import("../cli/read-named-texts.ts"))
  return yield* readNamedTexts(options, cwd)
})

const configOf = Effect.fnUntraced(function* (
  facts: ProcessFacts,
  options: RunOptions,
  besides: Pick<LoadInput, "given" | "trustedByEditor">
) {
  if (facts.cwd === undefined) {
    return yield* new NoInput({
      detail: "the folder in which gemini was started does not exist any more",
      advice: "Change to another folder and try again."
    })
  }
  return yield* loadConfig({
    env: facts.env,
    cwd: facts.cwd,
    platform: facts.platform,
    ...besides,
    flags: { skipTrust: options.skipTrust, ignoreEnv: options.ignoreEnv, ignoreProject: options.bare }
  })
})
