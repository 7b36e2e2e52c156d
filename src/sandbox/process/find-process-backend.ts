/**
 * Which back end a run with a wish gets, where it may be one for the whole process. Engines are asked whether they are
 * there: an installed client whose service does not answer is none.
 */
import { Effect } from "effect"
import { type ChildVariables, childVariables } from "../../system/child-variables.ts"
import { runProgram } from "../../system/programs.ts"
import type { BackendName, SandboxWish } from "../choose-sandbox.ts"
import { type ProbeOptions, tryBackend } from "../probe-backend.ts"
import { adviceFor, SandboxUnavailable } from "../sandbox-unavailable.ts"
import { bwrapProcess } from "./bwrap-process.ts"
import { container, type Engine } from "./container.ts"
import { lxc } from "./lxc.ts"
import type { Hop, ProcessBackend } from "./process-backend.ts"
import { isProcessName, type ProcessName } from "./process-names.ts"
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

export const engineVariables = (variables: Readonly<Record<string, string>>): ChildVariables =>
  childVariables({
    inherits: Object.fromEntries(Object.entries(variables).filter(([name]) => ENGINE_VARIABLES.test(name)))
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
  const program = Bun.which(PROGRAMS[name], { PATH: options.path })
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
  const format = name === "podman" ? "{{.Host.Security.Rootless}}" : "{{.SecurityOptions}}"
  const answer = yield* Effect.mapError(
    runProgram({
      argv: [program, "info", "--format", format],
      cwd: "/",
      env: options.engineVariables,
      timeout: "20 seconds",
      maxOutputBytes: 64 * 1024,
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
  return { name, program, isRootless: /true|rootless/.test(answer.stdout) } satisfies Engine as Engine
})
