/**
 * `gemini doctor`: looks at everything that a run here depends on, and says what is wrong and what to do about it. Nothing
 * is sent without `--online`, and it always comes to an end.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Duration, Effect } from "effect"
import { loadConfig } from "../../../config/load.ts"
import { ExitCode } from "../../../protocol/exit-code.ts"
import { CliContext } from "../../cli-context.ts"
import { exitWith } from "../../command-exit.ts"
import { defineSubcommand } from "../../subcommand.ts"
import { printResult } from "../command-output.ts"
import { json, skipTrust } from "../common-options.ts"
import { loadSettings } from "../load-settings.ts"
import { accountChecks } from "./account-checks.ts"
import { type Check, findingsText, type GroupFindings, summaryLine, warning } from "./finding.ts"
import { machineChecks } from "./machine-checks.ts"
import { partsChecks } from "./parts-checks.ts"

const online = Options.boolean("online").pipe(
  Options.withDescription("Also ask the service about the model, and connect to MCP servers of the network.")
)

/** All of it together, whatever hangs. */
const WITHIN = Duration.seconds(15)

const command = Command.make("doctor", { json, online, skipTrust }, (options) =>
  Effect.gen(function* () {
    const { cwd, env, status } = yield* CliContext
    yield* status?.("looking at everything that a run depends on") ?? Effect.void
    const flags = { skipTrust: options.skipTrust, ignoreEnv: false }
    const strict = yield* Effect.either(loadConfig({ cwd, env, platform: process.platform, flags }))
    const config = yield* loadSettings({ skipTrust: options.skipTrust, tolerant: true })
    const isOnline = options.online
    const groups = yield* resultsOf([
      ...machineChecks(config),
      ...accountChecks(config, strict, { isOnline }),
      ...partsChecks(config, { isOnline })
    ])
    yield* status?.("") ?? Effect.void
    const isFine = groups.every(({ findings }) => findings.every((finding) => finding.status !== "fault"))
    yield* printResult(options, `${findingsText(groups)}\n\n${summaryLine(groups)}`, {
      ok: isFine,
      checks: groups.flatMap(({ findings, group }) => findings.map((finding) => ({ group, ...finding })))
    })
    if (!isFine) yield* exitWith(ExitCode.general)
  })
).pipe(Command.withDescription("Check what runs depend on; exit 1 when something would stop one."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command,
  examples: [
    "gemini doctor",
    "gemini doctor --online",
    "gemini doctor --json | jq '.checks[] | select(.status != \"ok\")'"
  ]
})

/** Side by side, in the order of the checks; those of one group stand together. */
const resultsOf = Effect.fnUntraced(function* <R>(checks: ReadonlyArray<Check<R>>) {
  const found = yield* Effect.forEach(checks, bounded, { concurrency: "unbounded" })
  const groups = new Map<string, GroupFindings>()
  for (const [index, { group }] of checks.entries()) {
    groups.set(group, { group, findings: [...(groups.get(group)?.findings ?? []), ...(found[index] ?? [])] })
  }
  return [...groups.values()]
})

const bounded = <R>({ look, name }: Check<R>) =>
  look.pipe(
    Effect.timeoutTo({
      duration: WITHIN,
      onSuccess: (findings) => findings,
      onTimeout: () => [warning(name, `no answer within ${Duration.format(WITHIN)}`, "See what keeps it waiting.")]
    }),
    Effect.catchAllDefect((defect) =>
      Effect.succeed([warning(name, `could not be looked at: ${String(defect)}`, "Please report this.")])
    )
  )
