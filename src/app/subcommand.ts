/** Gives a sub-command what it may need of the process: where to write, whom to ask, and the runs that it can start. */
import { Effect, Either, Ref } from "effect"
import type { CommandLine } from "../cli/command-line.ts"
import { loadConfig } from "../config/load.ts"
import { secretsIn } from "../config/secrets.ts"
import { lazy } from "../kernel/lazy.ts"
import { Stderr } from "../output/stderr.ts"
import type { Stdout } from "../output/stdout.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { ProcessFacts } from "./facts.ts"
import { print } from "./report.ts"

/** A management command: it has its own words and exit codes, and never talks to the model. */
export const runSubcommand = Effect.fnUntraced(function* (
  facts: ProcessFacts,
  { invocation }: Extract<CommandLine, { readonly _tag: "Subcommand" }>
) {
  const stderr = yield* Stderr
  const services = yield* Effect.context<Stdout | Stderr>()
  const lost = yield* Ref.make(false)
  const ask = yield* Effect.cached(
    Effect.flatMap(
      lazy(() => import("../cli/answers.ts")),
      ({ makeAnswers }) => makeAnswers({ isTerminal: facts.stdinIsTerminal, write: stderr.write })
    )
  )
  const { runSubcommand: runNamed } = yield* lazy(() => import("../cli/subcommand-runner.ts"))
  const exitCode = yield* runNamed(invocation, {
    env: facts.env,
    cwd: facts.cwd ?? "/",
    write: (text) =>
      print(text).pipe(
        Effect.flatMap((code) => (code === ExitCode.success ? Effect.void : Ref.set(lost, true))),
        Effect.provide(services)
      ),
    writeError: stderr.write,
    ...(stderr.isTerminal ? { status: stderr.status } : {}),
    ...(facts.stdinIsTerminal && stderr.isTerminal ? { confirm: confirmWith(stderr.write) } : {}),
    ask: (question, options) => Effect.flatMap(ask, (put) => put(question, options)),
    summarize: (sessions) =>
      lazy(() => import("./summarize.ts")).pipe(
        Effect.flatMap(({ summarizeWithModel }) => summarizeWithModel(facts, sessions)),
        Effect.provide(services)
      ),
    serve: (flags) =>
      lazy(() => import("./serve.ts")).pipe(
        Effect.flatMap(({ serveAgent }) => serveAgent(facts, flags)),
        Effect.provide(services)
      ),
    serveTasks: (request) =>
      lazy(() => import("./serve.ts")).pipe(
        Effect.flatMap(({ serveTasks }) => serveTasks(facts, request)),
        Effect.provide(services)
      ),
    batch: (request) =>
      lazy(() => import("./batch/run.ts")).pipe(
        Effect.flatMap(({ runBatchCommand }) => runBatchCommand(facts, request)),
        Effect.provide(services)
      ),
    tendJobs: (request) =>
      lazy(() => import("./batch/run.ts")).pipe(
        Effect.flatMap(({ tendJobsCommand }) => tendJobsCommand(facts, request)),
        Effect.provide(services)
      )
  })
  if (!facts.early.isEmpty()) {
    yield* reportSubcommand(facts)
  }
  return (yield* Ref.get(lost)) ? ExitCode.general : exitCode
})

const confirmWith = (write: (text: string) => Effect.Effect<void>) => (question: string) =>
  Effect.flatMap(
    lazy(() => import("../cli/ask-terminal.ts")),
    ({ askTerminal }) => askTerminal(question, write)
  )

/**
 * What it did, told where telemetry is on. It has no session: only what was kept while it ran is told, and whatever is
 * wrong with the settings is none of its business.
 */
const reportSubcommand = (facts: ProcessFacts) =>
  Effect.gen(function* () {
    const config = yield* loadConfig({
      env: facts.env,
      cwd: facts.cwd ?? "/",
      platform: facts.platform,
      flags: { skipTrust: false, ignoreEnv: false },
      tolerant: true
    })
    const { planRecording } = yield* lazy(() => import("./plan.ts"))
    const plan = planRecording({ ...config, options: {} })
    if (Either.isLeft(plan)) return
    const { telemetry, usageEndpoint } = plan.right
    if (telemetry === undefined && usageEndpoint === undefined) return
    const { recordingOf } = yield* lazy(() => import("./telemetry/start.ts"))
    const recording = yield* recordingOf(
      { facts, config, plan: plan.right },
      { authType: undefined, secrets: secretsIn(config) }
    )
    yield* facts.early.replay(recording)
  }).pipe(Effect.scoped, Effect.ignore)
