/** `gemini a2a`: this agent for others, over the Agent2Agent protocol. */
import { resolve } from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { ApprovalMode } from "../../protocol/modes.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { text } from "./common-options.ts"

const serve = Command.make(
  "serve",
  {
    port: text("port", "N", "Where to listen; without it CODER_AGENT_PORT, or a free one."),
    host: text("host", "ADDR", "Another address than this machine's own; needs GEMINI_A2A_TOKEN."),
    workspace: text("workspace", "DIR", "The folder of every task; without it callers name one."),
    noToken: Options.boolean("no-token").pipe(
      Options.withDescription("Let in whoever reaches the port of this machine.")
    ),
    model: Options.withAlias(text("model", "NAME", "The model of tasks."), "m"),
    approvalMode: Options.choice("approval-mode", ApprovalMode.literals).pipe(
      Options.withPseudoName("MODE"),
      Options.withDescription("Of tasks."),
      Options.optional
    ),
    skipTrust: Options.boolean("skip-trust").pipe(Options.withDescription("Folders of tasks count as trusted."))
  },
  (given) =>
    Effect.gen(function* () {
      const context = yield* CliContext
      const one = (name: string, value: Option.Option<string>) =>
        Option.match(value, { onNone: () => [], onSome: (said) => [`--${name}=${said}`] })
      const code = yield* context.serveTasks({
        flags: [
          ...one("model", given.model),
          ...one("approval-mode", given.approvalMode),
          ...(given.skipTrust ? ["--skip-trust"] : [])
        ],
        port: Option.getOrUndefined(given.port),
        host: Option.getOrUndefined(given.host),
        workspace: Option.getOrUndefined(Option.map(given.workspace, (folder) => resolve(context.cwd, folder))),
        needsToken: !given.noToken
      })
      yield* exitWith(code)
    })
).pipe(Command.withDescription("Take tasks of other agents over HTTP."))

const command = Command.make("a2a").pipe(
  Command.withDescription("Offer this agent to other agents (A2A)."),
  Command.withSubcommands([serve])
)

export const subcommand = defineSubcommand({
  matching: "always",
  command,
  examples: ["gemini a2a serve --port 41242", "gemini a2a serve --workspace . --approval-mode auto_edit"]
})
