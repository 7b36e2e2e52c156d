/** `/sandbox`: what stands around the run or its commands, each promise of it tried. */
import { join } from "node:path"
import { Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import { Storage } from "../../config/storage.ts"
import { locateFolder } from "../../config/workspace-roots.ts"
import { lazy } from "../../kernel/lazy.ts"
import { Sandbox } from "../../sandbox/sandbox.ts"
import { type CommandResult, print, slash } from "../command.ts"

const USAGE =
  "Usage: /sandbox allow <command> network, /sandbox allow <command> host <name>, or /sandbox allow <command> <folder> [read]"

/** Only a person, and only for one command: a program's own words about what it lacks never open anything. */
const allow = slash({
  name: "allow",
  description: "Open the network, a host or a folder to one command, in sandbox.toml",
  usage: "<command> network | <command> host <name> | <command> <folder> [read]",
  run: Effect.fnUntraced(function* ({ args, isInteractive }) {
    const { storage, environment } = { storage: yield* Storage, environment: yield* Environment }
    const [, name = "", what = "", mode = ""] = /^(\S+)\s+(.+?)(?:\s+(read))?$/.exec(args.trim()) ?? []
    if (!isInteractive) return print("/sandbox allow is for a person in a conversation.")
    if (name === "" || name.includes("/")) return print(USAGE)
    const { saveGrant } = yield* lazy(() => import("../../sandbox/command-grants.live.ts"))
    const { GRANTS_NAME, grantText, NO_GRANT, refusedGrant } = yield* lazy(
      () => import("../../sandbox/command-grants.ts")
    )
    const { secretPlaces } = yield* lazy(() => import("../../sandbox/profile.ts"))
    const { parseDomainRule } = yield* lazy(() => import("../../sandbox/domain-rules.ts"))
    const home = environment.get("HOME") ?? environment.home ?? "/"
    const [, host] = /^host\s+(\S+)$/.exec(what) ?? []
    const path = locateFolder(what, { cwd: environment.cwd, home })
    const isPath = host === undefined && what !== "network"
    const refused = isPath ? refusedGrant(path, { home, secrets: secretPlaces(home) }) : undefined
    if (refused !== undefined) return print(`Not opened: ${refused}.`)
    if (host !== undefined && parseDomainRule(host) === undefined) return print(`Not opened: ${host} is no host.`)
    const file = join(storage.userPoliciesDir, GRANTS_NAME)
    const added = {
      ...NO_GRANT,
      network: what === "network",
      domains: host === undefined ? [] : [host],
      reads: isPath && mode === "read" ? [path] : [],
      writes: isPath && mode !== "read" ? [path] : []
    }
    return yield* Effect.match(saveGrant(file, name, added), {
      onFailure: (fault) => print(`Not opened: ${file}: ${typeof fault === "string" ? fault : fault.code}.`),
      onSuccess: (): CommandResult => ({ _tag: "Reconfigure", told: `${name} may use ${grantText(added)}: ${file}` })
    })
  })
})

export const sandbox = slash<Environment | Sandbox | Storage>({
  name: "sandbox",
  description: "What stands around commands, and whether it holds",
  isConcurrent: true,
  run: Effect.fnUntraced(function* () {
    const service = yield* Sandbox
    const { cwd, platform } = yield* Environment
    const report = yield* service.report
    if (report === undefined) {
      const confinesUnasked = yield* service.confines("read")
      return print(
        [
          "No sandbox stands around commands that you agree to.",
          confinesUnasked
            ? "Commands that run without a question can only read, inside the workspace, and have no network."
            : `Commands that run without a question are not confined either${platform === "linux" ? "" : " on this system"}.`,
          "gemini --sandbox starts with one; the setting tools.sandbox keeps it."
        ].join("\n"),
        { sandbox: null, confinesUnasked }
      )
    }
    const { checkSandbox, checkText, reportLines } = yield* lazy(() => import("../../sandbox/self-check.ts"))
    // In here nothing is outside that could be tried.
    if (report.isWhole === true) return print(reportLines(report).join("\n"), { sandbox: report })
    const result = yield* Effect.scoped(checkSandbox(service, { cwd }))
    return print(checkText(result).trimEnd(), result)
  }),
  subcommands: [allow]
})
