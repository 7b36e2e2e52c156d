/** The options of `gemini batch`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { ApprovalMode } from "../../protocol/modes.ts"
import { TierWish } from "../../protocol/usage.ts"
import { skipTrust, text, texts } from "./common-options.ts"

export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

const chosen = <const Names extends ReadonlyArray<string>>(
  name: string,
  value: string,
  names: Names,
  description: string
) =>
  Options.choice(name, names).pipe(
    Options.withPseudoName(value),
    Options.withDescription(description),
    Options.optional
  )

export const short = (name: string, alias: string, value: string, description: string) =>
  Options.text(name).pipe(
    Options.withAlias(alias),
    Options.withPseudoName(value),
    Options.withDescription(description),
    Options.optional
  )

export const options = {
  input: Args.text({ name: "input.jsonl" }).pipe(Args.optional),
  output: short("output", "O", "FILE", "Where answers go, one line an item; - is standard output, without a journal."),
  prompt: short(
    "prompt",
    "p",
    "TEMPLATE",
    "The prompt of each item: {{name}} stands for a field. Default: the field prompt."
  ),
  key: text("key", "FIELD", "The field by which an item is known (default: id, else its line)."),
  fileField: text("file-field", "FIELD", "The field that names a file, or a list of files, to attach."),
  csv: flag("csv", "The input is CSV with a header."),
  glob: text("glob", "PATTERN", "Instead of an input: each file is an item, and goes to the model."),
  outputFormat: Options.choice("output-format", ["json", "text"]).pipe(
    Options.withAlias("o"),
    Options.withPseudoName("FORMAT"),
    Options.withDescription("A JSON object a line, or the answers only (default json)."),
    Options.optional
  ),
  ordered: flag("ordered", "Answers in the order of the input."),
  errors: text("errors", "FILE", "Also write the items that failed to this file."),
  report: text("report", "FILE", "Write totals, causes of errors and percentiles as JSON."),
  events: text("events", "FILE|fd:N", "Write what happens as JSON lines."),
  quiet: Options.boolean("quiet").pipe(Options.withAlias("q"), Options.withDescription("No progress, no summary.")),
  via: chosen(
    "via",
    "WAY",
    ["live", "flex", "api"],
    "live: now; flex: half the price, and slower; api: on Google's batch engine, half the price, within a day."
  ),
  gcs: text("gcs", "gs://BUCKET/FOLDER", "With --via api and Vertex AI: where requests and answers lie."),
  detach: flag("detach", "With --via api: make the jobs and leave; gemini batch collect fetches the answers."),
  poll: text("poll", "TIME", "With --via api: time between two looks at the jobs (default 5s, growing to 60s)."),
  reroute: chosen(
    "reroute",
    "WAY",
    ["flex", "live", "none"],
    "With --via api: how items are asked that a job did not answer (default none: they are errors)."
  ),
  cachedContext: texts("cached-context", "FILE", "What all items have in common, sent once and kept by the service."),
  tier: chosen("tier", "TIER", TierWish.literals, "Service tier: flex is half the price and slow (default standard)."),
  concurrency: short("concurrency", "j", "N", "Items at once (default 8, at most 256)."),
  retries: text("retries", "N", "How often a request that failed is sent again (default 3)."),
  onQuota: chosen(
    "on-quota",
    "ACTION",
    ["fail", "wait"],
    "What to do when a quota is used up (default fail, exit 53)."
  ),
  model: short("model", "m", "NAME", "Model or alias."),
  outputSchema: text("output-schema", "FILE|JSON", "Each answer must be JSON that fits this JSON Schema."),
  maxCost: text("max-cost", "USD", "No item is begun once the batch has cost this much."),
  maxTokens: text("max-tokens", "N", "No item is begun once the batch has used so many tokens."),
  maxTurns: text("max-turns", "N", "Turns of one item at most."),
  itemMaxTime: text("item-max-time", "TIME", "Time of one item at most: 90s, 10m."),
  itemMaxCost: text("item-max-cost", "USD", "Cost of one item at most."),
  bare: flag("bare", "Nothing of the project: that is the default, unless --context."),
  context: flag("context", "With the context, the tools and the servers of the project, as in a run that is not bare."),
  tools: text(
    "tools",
    "LIST",
    "Built-in tools that the model is offered (default: none; with --context those of the settings)."
  ),
  approvalMode: Options.choice("approval-mode", ApprovalMode.literals).pipe(
    Options.withPseudoName("MODE"),
    Options.withDescription("What tools may do without a question."),
    Options.optional
  ),
  worktreePerItem: flag(
    "worktree-per-item",
    "Each item edits a copy of the git repository; the difference is the patch of its answer."
  ),
  policy: texts("policy", "PATH", "Policy file or folder."),
  appendSystemPrompt: text("append-system-prompt", "TEXT|@FILE", "What the model is told before each item."),
  thinking: text("thinking", "LEVEL", "off, low, medium, high, or a number of tokens."),
  shard: text("shard", "I/N", "Only the items of the I-th of N parts; the output is called OUT.I-of-N."),
  retryErrors: flag("retry-errors", "Ask the items that failed again."),
  changed: flag("changed", "Go on with other options or another input: ask again only what is asked otherwise now."),
  restart: flag("restart", "Begin anew; the old files are kept as .1."),
  skipTrust
}
