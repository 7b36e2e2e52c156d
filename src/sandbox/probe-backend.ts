/**
 * Finds out whether a back end works here, by doing what it would be used for: starting a program inside. What can stand
 * in the way (no user namespaces, AppArmor, the filters of a container) is too much to know in advance. A success is
 * remembered for this boot, kernel and surroundings; should it not hold any more, commands fail, they do not run outside.
 */
import { readFileSync, readlinkSync, statSync } from "node:fs"
import { release } from "node:os"
import { Effect, Either, Option, Schema } from "effect"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { plainVariables } from "../system/child-variables.ts"
import { machineProgram, runProgram } from "../system/programs.ts"
import type { SandboxBackend } from "./backend.ts"
import { bwrap } from "./bwrap.ts"
import type { BackendName, SandboxWish } from "./choose-sandbox.ts"
import { landlock } from "./landlock.ts"
import { standingFacts } from "./machine-facts.ts"
import { makePrivateFiles } from "./private-files.ts"
import { profileOf } from "./profile.ts"
import { adviceFor, SandboxUnavailable } from "./sandbox-unavailable.ts"

export interface ProbeOptions {
  /** `PATH` */
  readonly path: string
  /** Programs of this folder are not the machine's. */
  readonly cwd: string
  readonly home: string | undefined
  readonly self: ReadonlyArray<string>
  /** Where successes are remembered; absent: nowhere. */
  readonly memory: string | undefined
}

/** The first candidate that works. */
export const findBackend = Effect.fn("Sandbox.findBackend")(function* (
  { candidates, requestedBy }: Pick<SandboxWish, "candidates" | "requestedBy">,
  options: ProbeOptions
) {
  const reasons: Array<string> = []
  for (const name of candidates) {
    const tried = yield* Effect.either(tryBackend(name, options))
    if (Either.isRight(tried)) return tried.right
    reasons.push(`${name} ${tried.left}`)
  }
  return yield* new SandboxUnavailable({ requestedBy, reasons, advice: adviceFor(process.platform) })
})

/** Whether single commands can be wrapped by it; fails with the words that follow its name. */
export const tryBackend = Effect.fnUntraced(function* (name: BackendName, options: ProbeOptions) {
  const [first, ...others] = yield* backendsNamed(name, options)
  return yield* others.reduce(
    (tried, other) => Effect.orElse(tried, () => provenBackend(other, options)),
    provenBackend(first, options)
  )
})

const provenBackend = Effect.fnUntraced(function* ({ found, key: own }: Found, options: ProbeOptions) {
  const key = yield* Effect.sync(() => surroundings(own))
  if (options.memory !== undefined && remembered(options.memory).includes(key)) return found
  yield* Effect.scoped(trial(found, options))
  if (options.memory !== undefined) yield* remember(options.memory, key)
  return found
})

interface Found {
  readonly found: SandboxBackend
  /** What it is made of; another one has to be tried again. */
  readonly key: string
}

/** Ways to have it, the best one first. */
const backendsNamed = (
  name: BackendName,
  { cwd, path }: ProbeOptions
): Effect.Effect<readonly [Found, ...ReadonlyArray<Found>], string> => {
  switch (name) {
    case "bwrap": {
      const program = machineProgram("bwrap", path, cwd)
      return program === null
        ? Effect.fail("is not installed")
        : Effect.sync(() => [{ found: bwrap(program), key: `${program} ${statSync(program).mtimeMs}` }] as const)
    }
    case "landlock":
      return Effect.gen(function* () {
        const { landlockVersion } = yield* Effect.promise(() => import("./launcher/confine-self.ts"))
        const version = yield* Effect.try({
          try: landlockVersion,
          catch: (cause) => `cannot be asked for: ${cause instanceof Error ? cause.message : String(cause)}`
        })
        if (version === 0) return yield* Effect.fail("is not in this kernel, or not switched on")
        const plain: Found = { found: landlock(version, false), key: `landlock ${version}` }
        const mounting: Found = { found: landlock(version, true), key: `landlock ${version} with mounts` }
        return rootMayMount() ? ([mounting, plain] as const) : ([plain] as const)
      })
    case "podman":
    case "docker":
    case "runsc":
    case "lxc":
    case "sandbox-exec":
    case "bwrap-process":
      return Effect.fail("takes a whole run inside, and does not wrap single commands")
    case "windows-native":
      return Effect.fail("is not part of this version: single commands cannot be confined on Windows")
  }
}

/** The root of a container mostly may not. */
const rootMayMount = (): boolean => {
  const MOUNTING = 21n
  const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(textOf("/proc/self/status"))?.[1] ?? "0"
  return process.getuid?.() === 0 && ((BigInt(`0x${held}`) >> MOUNTING) & 1n) === 1n
}

const TRIAL_WITHIN = "10 seconds"
const TRIAL_OUTPUT = 16 * 1024

const trial = Effect.fnUntraced(function* (backend: SandboxBackend, { home, path, self }: ProbeOptions) {
  const files = yield* Effect.mapError(makePrivateFiles([]), ({ detail }) => `could not be tried: ${detail}`)
  const profile = profileOf({
    cwd: "/",
    roots: [],
    allowedPaths: [],
    network: false,
    access: "read",
    usesGit: false,
    reads: [],
    writes: [],
    home,
    facts: {
      ...standingFacts(home, path),
      repositories: { data: [], guarded: [], absent: [], places: [] },
      scan: { secrets: [], repositories: [], ownFolders: [] }
    }
  })
  const program = yield* Effect.try({
    try: () =>
      backend.enter({
        program: { argv: ["/bin/sh", "-c", ":"], cwd: "/", env: plainVariables() },
        profile,
        how: { access: "read" },
        files,
        proxy: undefined,
        self
      }),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  })
  const end = yield* runProgram({
    ...program,
    timeout: TRIAL_WITHIN,
    maxOutputBytes: TRIAL_OUTPUT,
    onTooMuch: "drop",
    reach: "group",
    leftovers: "end",
    grace: 0
  }).pipe(Effect.mapError(({ detail }) => detail))
  if (end.exitCode !== 0) return yield* Effect.fail(`does not work here: ${firstLine(end.stderr)}`)
})

const firstLine = (text: string): string => text.trim().split("\n")[0] || "it said nothing"

/** Everything that the result of a trial depends on. A container may share a home with the machine around it. */
const surroundings = (backend: string): string =>
  [
    backend,
    release(),
    process.getuid?.(),
    textOf("/proc/sys/kernel/random/boot_id"),
    linkOf("/proc/self/ns/user"),
    linkOf("/proc/self/ns/mnt"),
    /^Seccomp:.*$/m.exec(textOf("/proc/self/status"))?.[0]
  ].join(" ")

const Memory = Schema.parseJson(Schema.Array(Schema.String))
const decodeMemory = Schema.decodeUnknownOption(Memory)

const remembered = (file: string): ReadonlyArray<string> => Option.getOrElse(decodeMemory(textOf(file)), () => [])

const MOST_REMEMBERED = 8

/** Not being able to write it down costs a trial the next time, no more. */
const remember = (file: string, key: string) =>
  Effect.ignore(
    Effect.suspend(() =>
      writeFileAtomic({
        file,
        content: JSON.stringify([...remembered(file), key].slice(-MOST_REMEMBERED)),
        mode: 0o600
      })
    )
  )

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return ""
  }
}

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}
