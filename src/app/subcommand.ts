/** Gives a sub-command what it may need of the process: where to write, whom to ask, and the runs that it can start. */
import { Effect, Ref } from "effect"
import type { CommandLine } from "../cli/command-line.ts"
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
      )
  })
  if (!facts.early.isEmpty()) {
    const { reportSubcommand } = yield* lazy(() => import("./telemetry/report-subcommand.ts"))
    yield* reportSubcommand(facts)
  }
  return (yield* Ref.get(lost)) ? ExitCode.general : exitCode
})

const confirmWith = (write: (text: string) => Effect.Effect<void>) => (question: string) =>
  Effect.flatMap(
    lazy(() => import("../cli/ask-terminal.ts")),
    ({ askTerminal }) => askTerminal(question, write)
  )
