/**
 * Which back end a run with a wish gets, where it may be one for the whole process, and the one that needs no engine.
 * Engines are asked whether they are there: an installed client whose service does not answer is none.
 */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import { type ChildVariables, childVariables } from "../../system/child-variables.ts"
import { signalBelow } from "../../system/process-tree.ts"
import { machineProgram, runProgram } from "../../system/programs.ts"
import { bwrap } from "../bwrap.ts"
import type { BackendName, SandboxWish } from "../choose-sandbox.ts"
import { factsOf, standingFacts } from "../machine-facts.ts"
import { makePrivateFiles } from "../private-files.ts"
import { type ProbeOptions, tryBackend } from "../probe-backend.ts"
import { profileOf } from "../profile.ts"
import { adviceFor, hopFailed, SandboxUnavailable } from "../sandbox-unavailable.ts"
import { makeWorkspaceScan } from "../workspace-scan.ts"
import { container, type Engine } from "./container.ts"
import { ownProxy } from "./container-proxy.ts"
import { bridgeVariables, insideCommand, sessionFolder, variablesScript } from "./inside-script.ts"
import { lxc } from "./lxc.ts"
import type { EnteredProcess, Hop, ProcessBackend } from "./process-backend.ts"
import { seatbelt } from "./seatbelt.ts"

export interface FindOptions extends ProbeOptions, Pick<Hop, "engineVariables"> {
  readonly platform: NodeJS.Platform
}

/** `undefined`: single commands are wrapped, by the back end that works for that. */
export const findProcessBackend = Effect.fn("Sandbox.findProcessBackend")(function* (
  { candidates, requestedBy }: Pick<SandboxWish, "candidates" | "requestedBy">,
  options: FindOptions
): Effect.fn.Return<ProcessBackend | undefined, SandboxUnavailable> {
  const reasons: Array<string> = []
  for (const name of candidates) {
    const tried = yield* Effect.either(
      isProcessName(name) ? tryProcess(name, options) : Effect.as(tryBackend(name, options), undefined)
    )
    if (tried._tag === "Right") return tried.right
    reasons.push(`${name} ${tried.left}`)
  }
  return yield* new SandboxUnavailable({ requestedBy, reasons, advice: adviceFor(options.platform) })
})

/** Where engines listen, and how they are set up. */
const ENGINE_VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|TERM|TMPDIR|XDG_.*|DOCKER_.*|CONTAINER.*|PODMAN_.*|STORAGE_.*|LXD_.*|SSH_AUTH_SOCK|.*_proxy|.*_PROXY)$/

export const engineVariables = (variables: Readonly<Record<string, string | undefined>>): ChildVariables =>
  childVariables({
    inherits: Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) =>
        value !== undefined && ENGINE_VARIABLES.test(name) ? [[name, value]] : []
      )
    )
  })

const PROGRAMS: Readonly<Record<ProcessName, string>> = {
  podman: "podman",
  docker: "docker",
  runsc: "docker",
  lxc: "lxc",
  "sandbox-exec": "sandbox-exec",
  "bwrap-process": "bwrap"
}

const tryProcess = Effect.fnUntraced(function* (
  name: ProcessName,
  options: FindOptions
): Effect.fn.Return<ProcessBackend, string> {
  const program = machineProgram(PROGRAMS[name], options.path, options.cwd)
  if (program === null) {
    return yield* Effect.fail(name === "runsc" ? "needs docker, which is not installed" : "is not installed")
  }
  switch (name) {
    case "podman":
    case "docker":
    case "runsc":
      return container(yield* engineOf(name, program, options))
    case "lxc":
      return lxc(program)
    case "sandbox-exec":
      return seatbelt(program)
    case "bwrap-process":
      return yield* Effect.as(tryBackend("bwrap" satisfies BackendName, options), bwrapProcess(program))
  }
})

const engineOf = Effect.fnUntraced(function* (name: Engine["name"], program: string, options: FindOptions) {
  const answer = yield* Effect.mapError(
    runProgram({
      // As a whole: under the name of docker podman may answer, whose fields are others.
      argv: [program, "info", "--format", "{{json .}}"],
      cwd: "/",
      env: options.engineVariables,
      timeout: "20 seconds",
      maxOutputBytes: 256 * 1024,
      onTooMuch: "drop",
      reach: "group",
      leftovers: "keep",
      grace: 0
    }),
    ({ detail }) => detail
  )
  if (answer.exitCode !== 0) {
    return yield* Effect.fail(`does not answer: ${answer.stderr.trim().split("\n")[0] || `exit ${answer.exitCode}`}`)
  }
  return {
    name,
    program,
    isRootless: /name=rootless|"rootless":\s*true/.test(answer.stdout)
  } satisfies Engine as Engine
})

const PROCESS_NAMES = ["podman", "docker", "runsc", "lxc", "sandbox-exec", "bwrap-process"] as const

export type ProcessName = (typeof PROCESS_NAMES)[number]

/** Back ends that take the whole process inside; the others wrap single commands. */
export const isProcessName = (name: BackendName): name is ProcessName =>
  PROCESS_NAMES.some((processName) => processName === name)

/**
 * The whole process in bubblewrap: the same walls as around single commands, with our own program and its records in them.
 * `program`: the path of `bwrap`.
 */
const bwrapProcess = (program: string): ProcessBackend => ({
  name: "bwrap-process",
  strength: "full",
  gaps: ({ network }) => [
    "a command can create .git or .gemini in a folder of the workspace that has none, or moves one aside that has one",
    "in a repository a command can leave hooks where there are none, and a rebase whose steps run when you continue it",
    "tokens of MCP servers stay outside, and what is changed in ~/.gemini goes with the run, but for its records",
    ...(network === "on" ? ["commands have the network of this program"] : [])
  ],
  enter: (hop) => Effect.mapError(enter(program, hop), (detail) => hopFailed("bwrap-process", detail))
})

const enter = Effect.fnUntraced(function* (program: string, hop: Hop) {
  const clock = yield* Effect.clock
  const files = yield* Effect.mapError(
    makePrivateFiles([hop.cwd, ...hop.roots, ...hop.allowedPaths]),
    ({ detail }) => detail
  )
  const isBridged = hop.network !== "on"
  if (hop.network !== "on") yield* ownProxy(hop, hop.network)
  return yield* Effect.try({
    try: () => {
      const own = {
        SANDBOX: "bwrap-process",
        TMPDIR: hop.temp,
        PATH: hop.path,
        ...(hop.home === undefined ? {} : { HOME: hop.home })
      }
      const variables = { ...hop.variables, ...(isBridged ? bridgeVariables() : {}), ...own }
      writeFileSync(join(sessionFolder(hop.temp), "variables"), variablesScript(variables), { mode: 0o600 })
      const command = insideCommand({ temp: hop.temp, shell: "/bin/sh", self: hop.self, args: hop.args, isBridged })
      const entered = bwrap(program).enter({
        program: { argv: command, cwd: hop.cwd, env: childVariables({ inherits: { PATH: hop.path } }) },
        profile: profileHere(hop, () => clock.unsafeCurrentTimeMillis()),
        how: { access: "write", usesGit: true },
        files,
        proxy: undefined,
        self: hop.self,
        mounts: hop.userFolder
      })
      // What was started is the wall; the program stands behind it.
      const signal: EnteredProcess["signal"] = (name, pid) => Effect.sync(() => signalBelow(pid, "bwrap", name))
      return { program: entered, signal } satisfies EnteredProcess as EnteredProcess
    },
    catch: messageOf
  })
})

const profileHere = (hop: Hop, now: () => number) => {
  const roots = [hop.cwd, ...hop.roots]
  const facts = factsOf(standingFacts(hop.home, hop.path), [...roots, ...hop.allowedPaths], makeWorkspaceScan(now))
  return profileOf({
    cwd: hop.cwd,
    roots,
    allowedPaths: hop.allowedPaths,
    network: hop.network === "on",
    access: "write",
    usesGit: true,
    reads: [...hop.self.filter((part) => part.startsWith("/")), ...hop.files],
    writes: [hop.temp],
    home: hop.home,
    facts
  })
}
