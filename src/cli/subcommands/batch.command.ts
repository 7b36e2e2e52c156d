/**
 * `gemini batch`: thousands of prompts from a file, answers into a file, and a journal beside it, so that nothing is paid
 * twice. This file turns the command line into a request; the rest is the business of `batch`.
 */
import { resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type * as Options from "@effect/cli/Options"
import { Duration, Effect, Either, Option, ParseResult, Schema } from "effect"
import type { TendRequest } from "../../batch/api/tend-jobs.ts"
import type { BatchError } from "../../batch/batch-error.ts"
import { type BatchRequest, shardOutput } from "../../batch/batch-request.ts"
import { lazy } from "../../kernel/lazy.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import type { TierWish } from "../../protocol/usage.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { splitList } from "../parse-argv.ts"
import { textOf } from "../read-named-texts.ts"
import { Count, Dollars, TimeLimit } from "../run-values.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { flag, options, short } from "./batch-options.ts"
import { json, skipTrust, text } from "./common-options.ts"

type Given = Parameters<typeof requestOf>[0]

const requestOf = (
  given: {
    readonly [name in keyof typeof options]: (typeof options)[name] extends Options.Options<infer A>
      ? A
      : Option.Option<string>
  },
  cwd: string
): Either.Either<BatchRequest, UsageError> =>
  Either.gen(function* () {
    const output = yield* required(
      given.output,
      "-O says where the answers go",
      "gemini batch items.jsonl -O answers.jsonl"
    )
    const shard = yield* shardOf(given.shard)
    const via = Option.getOrElse(given.via, () => "live" as const)
    const format = Option.getOrElse(given.outputFormat, () => "json" as const)
    yield* fitting(given, via, output)
    if (given.bare && given.context) return yield* Either.left(usageError("--bare and --context exclude each other"))
    if (given.restart && given.changed)
      return yield* Either.left(usageError("--restart and --changed exclude each other"))
    if (given.retryErrors && given.restart) {
      return yield* Either.left(usageError("--restart and --retry-errors exclude each other"))
    }
    if (output === "-" && (given.retryErrors || given.changed || given.restart || Option.isSome(given.shard))) {
      return yield* Either.left(
        usageError("standard output has no journal", "--retry-errors, --changed, --restart and --shard need -O FILE.")
      )
    }
    if (Option.isSome(given.errors) && (output === "-" || format === "text")) {
      return yield* Either.left(
        usageError("--errors copies lines of a JSON output", "It needs -O FILE, and no -o text.")
      )
    }
    return {
      input: yield* inputOf(given),
      output: shard === undefined ? output : shardOutput(output, shard),
      template: Option.getOrUndefined(given.prompt),
      keyField: Option.getOrUndefined(given.key),
      fileField: Option.getOrUndefined(given.fileField),
      format,
      ordered: given.ordered,
      errors: Option.getOrUndefined(given.errors),
      report: Option.getOrUndefined(given.report),
      events: Option.getOrUndefined(given.events),
      isQuiet: given.quiet,
      via,
      tier: Option.contains(given.reroute, "flex") ? "flex" : yield* tierOf(via, given.tier),
      concurrency: yield* concurrencyOf(given.concurrency),
      retries: yield* retriesOf(given.retries),
      shard,
      again: given.restart ? "restart" : given.changed ? "changed" : "resume",
      retryErrors: given.retryErrors,
      itemMaxTimeMs: Option.getOrUndefined(
        Option.map(yield* decoded(given.itemMaxTime, "--item-max-time", TimeLimit), Duration.toMillis)
      ),
      itemMaxCost: Option.getOrUndefined(yield* decoded(given.itemMaxCost, "--item-max-cost", Dollars)),
      context: given.context,
      tools: Option.getOrUndefined(Option.map(given.tools, (list): ReadonlyArray<string> => splitList([list]))),
      cachedContext: given.cachedContext,
      gcs: Option.getOrUndefined(given.gcs),
      detach: given.detach,
      pollMs: Option.getOrUndefined(Option.map(yield* decoded(given.poll, "--poll", TimeLimit), Duration.toMillis)),
      reroute: Option.getOrElse(given.reroute, () => "none" as const),
      appendSystemPrompt: Option.isNone(given.appendSystemPrompt)
        ? undefined
        : yield* textOf("--append-system-prompt", given.appendSystemPrompt.value, cwd),
      worktreePerItem: given.worktreePerItem,
      flags: runFlags(given)
    }
  })

/** Those that a run has under the same name. */
const runFlags = (given: Given): ReadonlyArray<string> => [
  ...["model", "outputSchema", "maxCost", "maxTokens", "maxTurns", "approvalMode", "onQuota", "thinking"].flatMap(
    (name) => {
      const value = given[name as "model"]
      return Option.isNone(value) ? [] : [`${flagOf(name)}=${value.value}`]
    }
  ),
  ...given.policy.map((path) => `--policy=${path}`),
  ...(given.skipTrust ? ["--skip-trust"] : [])
]

const required = (value: Option.Option<string>, message: string, hint: string): Either.Either<string, UsageError> =>
  Option.isSome(value) && value.value !== "" ? Either.right(value.value) : Either.left(usageError(message, hint))

const inputOf = ({ csv, glob, input }: Given): Either.Either<BatchRequest["input"], UsageError> => {
  if (Option.isSome(glob)) {
    return Option.isSome(input) || csv
      ? Either.left(usageError("--glob takes files for items, and no other input"))
      : Either.right({ kind: "glob", name: glob.value })
  }
  return Option.isNone(input)
    ? Either.left(usageError("an input is missing", "Name a file of JSON lines, - for standard input, or use --glob."))
    : Either.right({ kind: csv ? "csv" : "jsonl", name: input.value })
}

/** Nothing is accepted that nobody reads. */
const fitting = (given: Given, via: BatchRequest["via"], output: string): Either.Either<void, UsageError> => {
  if (given.worktreePerItem && !given.context && Option.isNone(given.tools)) {
    return Either.left(
      usageError("--worktree-per-item is for items that edit", "Give them tools: --tools or --context.")
    )
  }
  const isGiven = (name: keyof Given): boolean => {
    const value = given[name]
    return Array.isArray(value)
      ? value.length > 0
      : typeof value === "boolean"
        ? value
        : Option.isSome(value as Option.Option<unknown>)
  }
  const first = (names: ReadonlyArray<keyof Given>) => names.find(isGiven)
  const hasTools = first(["context", "tools"])
  if (hasTools !== undefined && given.cachedContext.length > 0) {
    return Either.left(
      usageError(`--cached-context and ${flagOf(hasTools)} exclude each other`, "What is kept holds no tools.")
    )
  }
  if (via !== "api") {
    const only = first(["gcs", "detach", "poll", "reroute"])
    return only === undefined
      ? Either.void
      : Either.left(usageError(`${flagOf(only)} is for --via api`, "Add --via api, or leave it out."))
  }
  if (output === "-") return Either.left(usageError("--via api keeps a journal of its jobs", "It needs -O FILE."))
  const tools = first(["context", "tools", "approvalMode", "policy", "maxTurns"])
  if (tools !== undefined) {
    return Either.left(
      usageError(
        `${flagOf(tools)} is for items with tools and turns`,
        "--via api gives one answer each; --via flex is as cheap."
      )
    )
  }
  const isRerouted = Option.getOrElse(given.reroute, () => "none") !== "none"
  const live = isRerouted ? undefined : first(["concurrency", "retries", "itemMaxTime", "itemMaxCost"])
  if (live !== undefined) {
    return Either.left(
      usageError(
        `${flagOf(live)} is for items that are asked one by one`,
        "With --via api they are so with --reroute only."
      )
    )
  }
  if (given.detach && (isRerouted || isGiven("poll"))) {
    return Either.left(usageError("--detach does not wait for answers", "Leave --poll and --reroute out."))
  }
  if (Option.isSome(given.gcs) && !/^gs:\/\/[^/]+/.test(given.gcs.value)) {
    return Either.left(usageError(`--gcs cannot be "${given.gcs.value}"`, "Write gs://BUCKET/FOLDER."))
  }
  return Either.void
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const tierOf = (via: BatchRequest["via"], asked: Given["tier"]): Either.Either<TierWish, UsageError> => {
  const own = via === "flex" ? "flex" : "standard"
  const tier = Option.getOrElse(asked, () => own)
  return via === "live" || (via === "flex" && tier === own) || Option.isNone(asked)
    ? Either.right(tier)
    : Either.left(usageError(`--via ${via} has a tier of its own`, "Leave --tier out, or use --via live."))
}

const shardOf = (given: Option.Option<string>): Either.Either<BatchRequest["shard"], UsageError> => {
  if (Option.isNone(given)) return Either.right(undefined)
  const [, index = "", count = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(given.value) ?? []
  const shard = { index: Number(index), count: Number(count) }
  return shard.index >= 1 && shard.index <= shard.count
    ? Either.right(shard)
    : Either.left(usageError(`--shard cannot be "${given.value}"`, "Write 1/8 up to 8/8."))
}

const MOST_AT_ONCE = 256

const concurrencyOf = (given: Option.Option<string>): Either.Either<number, UsageError> =>
  Either.flatMap(decoded(given, "--concurrency", Count), (count) => {
    const value = Option.getOrElse(count, () => 8)
    return value <= MOST_AT_ONCE
      ? Either.right(value)
      : Either.left(usageError(`--concurrency cannot be ${value}`, `Write a number from 1 to ${MOST_AT_ONCE}.`))
  })

const retriesOf = (given: Option.Option<string>): Either.Either<number, UsageError> =>
  Option.isSome(given) && /^\s*0+\s*$/.test(given.value)
    ? Either.right(0)
    : Either.map(
        decoded(given, "--retries", Count),
        Option.getOrElse(() => 3)
      )

const decoded = <A>(
  given: Option.Option<string>,
  name: string,
  schema: Schema.Schema<A, string>
): Either.Either<Option.Option<A>, UsageError> =>
  Option.isNone(given)
    ? Either.right(Option.none())
    : Either.mapBoth(Schema.decodeEither(schema)(given.value), {
        onLeft: (error) => {
          const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
          return usageError(`${name} cannot be "${given.value}"`, issue?.message)
        },
        onRight: Option.some
      })

const said = (error: BatchError) =>
  new UsageError({
    message: error.message,
    hint: error.hint ?? "",
    exitCode: error.kind === "input" ? ExitCode.input : ExitCode.general
  })

const out = Args.text({ name: "out.jsonl" })

const tend = (request: Partial<TendRequest> & Pick<TendRequest, "action" | "output">) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const rest = { json: false, isQuiet: false, waits: true, pollMs: undefined, skipTrust: false }
    yield* exitWith(yield* context.tendJobs({ ...rest, ...request }))
  })

const status = Command.make("status", { output: out, json, skipTrust }, (given) =>
  tend({ ...given, action: "status" })
).pipe(Command.withDescription("Show how far a batch is, and how its jobs stand."))

const collect = Command.make(
  "collect",
  {
    output: out,
    noWait: flag("no-wait", "Fetch what is there, and do not wait for the rest (exit 1 where something is missing)."),
    poll: text("poll", "TIME", "Time between two looks (default 5s, growing to 60s)."),
    quiet: options.quiet,
    skipTrust
  },
  ({ noWait, output, poll, quiet, skipTrust: trusted }) =>
    Effect.gen(function* () {
      const limit = yield* decoded(poll, "--poll", TimeLimit)
      const pollMs = Option.getOrUndefined(Option.map(limit, Duration.toMillis))
      yield* tend({ action: "collect", output, waits: !noWait, pollMs, isQuiet: quiet, skipTrust: trusted })
    })
).pipe(Command.withDescription("Fetch the answers of the jobs of a batch (--via api), when they have ended."))

const cancel = Command.make("cancel", { output: out, quiet: options.quiet, skipTrust }, (given) =>
  tend({ ...given, action: "cancel", isQuiet: given.quiet })
).pipe(Command.withDescription("End the jobs of a batch (--via api), and keep what they have answered."))

const merge = Command.make(
  "merge",
  {
    outputs: Args.repeated(Args.text({ name: "out.jsonl" })),
    output: short("output", "O", "FILE", "Where the joined answers go (default: standard output).")
  },
  (given) =>
    Effect.gen(function* () {
      const context = yield* CliContext
      if (given.outputs.length === 0) return yield* usageError("nothing to join", "Name the outputs of all shards.")
      const { mergeOutputs } = yield* lazy(() => import("../../batch/merge.ts"))
      const paths = given.outputs.map((path) => resolve(context.cwd, path))
      const output = Option.getOrUndefined(Option.map(given.output, (path) => resolve(context.cwd, path)))
      const { failed, items, unchecked } = yield* Effect.mapError(mergeOutputs(paths, output, context.write), said)
      yield* Effect.forEach(
        unchecked,
        (path) => context.writeError(`[WARNING] ${path} has no journal: nobody knows whether it is complete\n`),
        { discard: true }
      )
      yield* context.writeError(`${items} items joined, ${failed} of them failed\n`)
    })
).pipe(Command.withDescription("Join the outputs of shards, and check that nothing is missing or twice."))

const command = Command.make("batch", options, (given) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    yield* exitWith(yield* context.batch(yield* requestOf(given, context.cwd)))
  })
).pipe(
  Command.withDescription("Answer thousands of prompts from a file, resumable."),
  Command.withSubcommands([status, collect, cancel, merge])
)

export const subcommand = defineSubcommand({
  matching: "exact",
  command,
  ids: ["file"],
  examples: [
    'gemini batch tickets.jsonl -O out.jsonl -p "Classify: {{text}}"',
    "gemini batch --glob 'src/**/*.ts' -p 'Review this file.' -O reviews.jsonl"
  ]
})
