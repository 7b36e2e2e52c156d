/** The parts that a run is made of: sandbox, MCP servers, extensions, hooks, recorded sessions. */
import { Effect, Either } from "effect"
import type { LoadedConfig } from "../../../config/load.ts"
import { loadExtensions } from "../../../extensions/load-extensions.ts"
import { findHooks } from "../../../hooks/find-hooks.ts"
import { type Hook, placeOf, shownName } from "../../../hooks/hook.ts"
import { lazy } from "../../../kernel/lazy.ts"
import { configuredServers } from "../../../mcp/configured-servers.ts"
import { troublesOf } from "../../../mcp/server-report.ts"
import { makeSandbox, wishOf } from "../../../sandbox/from-config.ts"
import { sessionFiles } from "../../../session/browse/session-list.ts"
import { verifySessions } from "../../../session/browse/verify-sessions.ts"
import { statOrNone } from "../../../system/regular-file.ts"
import { lookAtServers } from "../mcp-settings.ts"
import { type Check, fault, type HealthFinding, ok, warning } from "./finding.ts"

export const partsChecks = (
  config: LoadedConfig,
  { isOnline }: { readonly isOnline: boolean }
): ReadonlyArray<Check> => [
  { group: "Sandbox", name: "sandbox", look: sandboxFindings(config) },
  { group: "MCP servers", name: "servers", look: serverFindings(config, isOnline) },
  { group: "Extensions", name: "extensions", look: extensionFindings(config) },
  { group: "Hooks", name: "hooks", look: hookFindings(config) },
  { group: "Sessions", name: "sessions", look: sessionFindings(config) }
]

/** Every back end that wraps commands is tried; the one that a run here asks for has to work. */
const sandboxFindings = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { probeOptions } = yield* lazy(() => import("../../../sandbox/build-sandbox.ts"))
  const { tryBackend } = yield* lazy(() => import("../../../sandbox/probe-backend.ts"))
  const names = process.platform === "linux" ? (["bwrap", "landlock"] as const) : []
  const tried = yield* Effect.forEach(
    names,
    (name) =>
      Effect.map(Effect.either(tryBackend(name, probeOptions(config))), (result) =>
        Either.isRight(result) ? ok(name, "works here") : ok(name, result.left)
      ),
    { concurrency: "unbounded" }
  )
  const wish = wishOf(config, undefined)
  if (Either.isLeft(wish)) return [...tried, fault("asked for", wish.left.message, wish.left.advice)]
  if (wish.right === undefined) {
    return [...tried, ok("asked for", "none (--sandbox asks for one)")]
  }
  const made = yield* Effect.either(
    Effect.scoped(
      makeSandbox({
        config,
        wish: wish.right,
        roots: Effect.succeed([config.environment.cwd]),
        readablePaths: [],
        warn: () => Effect.void
      })
    )
  )
  return [
    ...tried,
    Either.isLeft(made)
      ? fault("asked for", made.left.message, made.left.advice)
      : ok("asked for", `${wish.right.candidates.join(" or ")}; gemini sandbox check tries what it promises`)
  ]
})

/** Those of the network are asked with `--online` only. */
const serverFindings = Effect.fnUntraced(function* (config: LoadedConfig, isOnline: boolean) {
  if (!config.settings.get("admin.mcp.enabled")) return [ok("servers", "turned off by the administrator")]
  const { extensions } = yield* loadExtensions({ config })
  const known = configuredServers(config.settings, extensions)
  const entries = Object.entries(known.servers)
  const [here, remote] = [
    entries.filter(([, server]) => isOnline || server.command !== undefined),
    entries.filter(([, server]) => !isOnline && server.command === undefined)
  ]
  const views = yield* lookAtServers(config, { ...known, servers: Object.fromEntries(here) })
  const rows = [
    ...known.warnings.map((text) => warning("servers", text, "gemini mcp list shows all servers.")),
    ...views.map((view): HealthFinding => {
      const [trouble] = troublesOf(view)
      if (trouble !== undefined) return warning(view.name, trouble, `gemini mcp test ${view.name} tells more.`)
      return ok(view.name, view.status === "connected" ? `${view.tools.length} tools` : view.status)
    }),
    ...remote.map(([name]) => ok(name, "not asked: it is in the network (--online)"))
  ]
  return rows.length === 0 ? [ok("servers", "none")] : rows
})

const extensionFindings = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { extensions, notices } = yield* loadExtensions({ config })
  return [
    ...notices.map((text) => warning("extensions", text, "gemini extensions list shows all of them.")),
    ok("extensions", extensions.length === 0 ? "none" : extensions.map(({ name }) => name).join(", "))
  ]
})

const hookFindings = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { extensions } = yield* loadExtensions({ config })
  const { hooks, pending, problems } = yield* findHooks(config, extensions)
  const path = config.environment.get("PATH") ?? ""
  const lost = hooks.flatMap((hook): ReadonlyArray<HealthFinding> => {
    const program = missingProgram(hook, { path, cwd: config.environment.cwd })
    if (program === undefined) return []
    const detail = `${shownName(hook)} (${placeOf(hook.source)}): ${program} is not there`
    return [hook.failsClosed ? fault("hooks", detail, CORRECT_HOOK) : warning("hooks", detail, CORRECT_HOOK)]
  })
  return [
    ...problems.map((text) => warning("hooks", text, "gemini hooks list shows all of them.")),
    ...lost,
    ...(pending.length === 0
      ? []
      : [
          warning(
            "hooks",
            `${pending.length} of the project wait for a person to confirm them`,
            "Start a conversation here and answer the question."
          )
        ]),
    ...(problems.length + lost.length === 0 ? [ok("hooks", hooks.length === 0 ? "none" : `${hooks.length}`)] : [])
  ]
})

const CORRECT_HOOK = "Correct its command, or turn it off."

/** The program that a plain command starts with. What a shell has to work out, and what is a part of it, is left to the run. */
const PLAIN_PROGRAM = /^\s*([\w@%+:,./-]+)(?:\s|$)/
const OF_THE_SHELL =
  /^(?:[.:]|alias|cd|command|echo|eval|exec|exit|export|false|for|if|kill|printf|pwd|read|return|set|test|time|trap|true|type|ulimit|umask|unset|until|wait|while|case)$/

const missingProgram = ({ command }: Hook, { cwd, path }: { readonly path: string; readonly cwd: string }) => {
  const program = PLAIN_PROGRAM.exec(command)?.[1]
  if (program === undefined || OF_THE_SHELL.test(program)) return undefined
  return Bun.which(program, { PATH: path, cwd }) === null ? program : undefined
}

const MOST_VERIFIED = 20

const sessionFindings = Effect.fnUntraced(function* ({ storage }: LoadedConfig) {
  const folder = storage.knownProjectTempDir()
  if (folder === undefined) return [ok("sessions", "none in this folder yet")]
  const files = sessionFiles(folder)
  const bytes = files.reduce((sum, file) => sum + (statOrNone(file)?.size ?? 0), 0)
  const verified = yield* verifySessions(folder, {
    only: files.slice(-MOST_VERIFIED),
    projectHash: storage.projectHash()
  })
  const broken = verified.filter(({ problems }) => problems.length > 0)
  return [
    ok("sessions", `${files.length}, ${(bytes / 1024 / 1024).toFixed(1)} MiB in ${folder}`),
    ...broken.map(({ file, problems }) =>
      warning(
        "sessions",
        `${file}: ${problems[0]}`,
        "gemini sessions verify tells more; it can still be resumed up to there."
      )
    )
  ]
})
