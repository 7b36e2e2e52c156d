/**
 * What the sandbox of a run here adds to a verdict on a command: what it would be kept to, what `sandbox.toml` opens to
 * it, and what a person would be asked to open. Nothing is tried; `gemini sandbox check` does that.
 */
import { join } from "node:path"
import { Effect, Either } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import { type Decision, type PolicyCall, SHELL_TOOL } from "../../policy/decision.ts"
import { networkText } from "../../protocol/sandbox-report.ts"
import {
  type CommandGrant,
  GRANTS_NAME,
  grantFor,
  grantText,
  joinedGrants,
  NO_GRANT
} from "../../sandbox/command-grants.ts"
import { usualNeed } from "../../sandbox/denials.ts"
import { wishOf } from "../../sandbox/from-config.ts"
import { programWords } from "../../shell/analysis/shell-analysis.ts"
import { ShellAnalyzer } from "../../shell/analysis/shell-analyzer.ts"
import { grantedPrograms } from "../../tools/shell-expansion.ts"

export interface ForeseenSandbox {
  /** Back ends of which the first that works is taken; empty: nothing stands around the command. */
  readonly candidates: ReadonlyArray<string>
  readonly access: "read" | "write"
  readonly network: string
  /** What `sandbox.toml` opens to these programs. */
  readonly opens: string
  /** What would be asked for before it runs, in a conversation. */
  readonly asks_for: string
  /** Why there is none, where one is asked for. */
  readonly fault?: string
}

/** `undefined`: the call is no command. */
export const foreseenSandbox = Effect.fnUntraced(function* (
  { config }: { readonly config: LoadedConfig },
  { args, name }: PolicyCall,
  { isReading, verdict }: Decision
) {
  const { command } = args
  if (name !== SHELL_TOOL || typeof command !== "string") return undefined
  const isUnasked = verdict === "allow" && isReading === true
  const wish = wishOf(config, undefined)
  if (Either.isLeft(wish)) return { ...NONE, fault: wish.left.message }
  if (wish.right === undefined) {
    const isConfined =
      isUnasked && config.environment.platform === "linux" && config.settings.get("security.sandboxUnasked")
    return isConfined ? { ...NONE, candidates: ["bwrap", "landlock"], access: "read" as const } : NONE
  }
  const { candidates, network } = wish.right
  if (isUnasked) return { ...NONE, candidates, access: "read" as const }
  const analyzer = yield* ShellAnalyzer
  const analysis = yield* analyzer.analyze(command)
  const { readGrants } = yield* lazy(() => import("../../sandbox/command-grants.live.ts"))
  const { grants } = readGrants(join(config.storage.userPoliciesDir, GRANTS_NAME))
  const given = grantFor(grants, grantedPrograms(analysis))
  const usual = analysis.commands
    .map((one) => usualNeed(programWords(one).map(({ value }) => value)))
    .reduce(joinedGrants, NO_GRANT)
  const domains = typeof network === "string" ? [] : network.map(({ text }) => text)
  return {
    candidates,
    access: "write",
    network: networkText(typeof network === "string" ? { network } : { network: "domains", domains }),
    opens: grantText(given),
    asks_for: grantText(lacking(usual, given, network === "on"))
  } satisfies ForeseenSandbox as ForeseenSandbox
})

const NONE: ForeseenSandbox = { candidates: [], access: "write", network: "off", opens: "", asks_for: "" }

const lacking = ({ network, writes }: CommandGrant, given: CommandGrant, isOpen: boolean): CommandGrant => ({
  ...NO_GRANT,
  writes: writes.filter((path) => !given.writes.includes(path)),
  network: network && !isOpen && !given.network
})

export const foreseenLines = ({
  access,
  asks_for,
  candidates,
  fault,
  network,
  opens
}: ForeseenSandbox): ReadonlyArray<string> => {
  if (fault !== undefined) return [`sandbox: ${fault}`]
  if (candidates.length === 0) return []
  const names = candidates.length === 1 ? candidates[0] : `the first that works of ${candidates.join(", ")}`
  if (access === "read") return [`sandbox: ${names}; it runs unasked, so it can only read, and has no network`]
  return [
    `sandbox: ${names}, network ${network}`,
    ...(opens === "" ? [] : [`  sandbox.toml opens to it: ${opens}`]),
    ...(asks_for === "" ? [] : [`  a conversation asks before it opens: ${asks_for}`])
  ]
}
