/**
 * The group of the bench about the sandbox: what a confined command costs over the same walls made by hand, and what a run
 * pays for a sandbox that it does not come to use. Commands are confined in this process, as a run does it before each.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { makeConfined } from "../../src/sandbox/confined-programs.ts"
import { tryBackend } from "../../src/sandbox/probe-backend.ts"
import { childVariables } from "../../src/system/child-variables.ts"
import { spawnProgram } from "../../src/system/programs.ts"
import type { HomeBench } from "./bench-home.ts"
import { BARE_WALLS, CONFINED_BWRAP, CONFINED_LANDLOCK, CONFINED_ONE_SHOT, UNCONFINED_ONE_SHOT } from "./bench-rows.ts"
import { type Measured, measureAll, median, timed } from "./measure.ts"

export const measureSandbox = async (bench: HomeBench): Promise<Measured> => {
  bench.onPart("confined commands")
  const cwd = repository(bench.scratch)
  const calls = await Effect.runPromise(Effect.scoped(confinedCalls(bench, cwd)))
  bench.onPart("runs with a sandbox that they do not use")
  const command = [bench.binary, "-p", "hi", "-m", "scripted"]
  const settings = { timed: ONE_SHOT_ROUNDS, weighed: 1 }
  const runs = await measureAll(
    [
      { name: UNCONFINED_ONE_SHOT, command, env: bench.env, cwd },
      { name: CONFINED_ONE_SHOT, command, env: { ...bench.env, GEMINI_SANDBOX: "true" }, cwd }
    ],
    settings
  )
  return new Map([...calls, ...runs])
}

const ONE_SHOT_ROUNDS = 40
const CALLS = 40

/** A project as they are: a repository, a secret, and folders to look through. */
const repository = (scratch: string): string => {
  const folder = join(scratch, "confined")
  mkdirSync(folder)
  Bun.spawnSync(["git", "init", "-q", folder])
  writeFileSync(join(folder, ".env"), "SECRET=1\n")
  for (let index = 0; index < 100; index++) {
    mkdirSync(join(folder, `src/part-${index}`), { recursive: true })
    writeFileSync(join(folder, `src/part-${index}/code.ts`), "export {}\n")
  }
  return folder
}

const confinedCalls = Effect.fnUntraced(function* ({ binary, env, scratch }: HomeBench, cwd: string) {
  const options = { path: env.PATH ?? "", cwd, home: join(scratch, "home"), self: [binary], memory: undefined }
  const times = new Map<string, Array<number>>()
  const record = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms])
  const program = { argv: ["true"], cwd, env: childVariables({ inherits: env }) }
  for (const name of ["bwrap", "landlock"] as const) {
    const backend = yield* tryBackend(name, options)
    const { confine } = yield* makeConfined({
      ...options,
      ...OPTIONS,
      backend: Effect.succeed(backend),
      roots: Effect.succeed([cwd])
    })
    for (let call = 0; call < CALLS; call++) {
      const start = yield* Clock.currentTimeNanos
      const confined = yield* confine(program, { access: "write" })
      yield* ended(confined)
      record(
        name === "bwrap" ? CONFINED_BWRAP : CONFINED_LANDLOCK,
        Number((yield* Clock.currentTimeNanos) - start) / 1e6
      )
      if (name === "bwrap") record(BARE_WALLS, yield* bareCall(confined))
    }
  }
  return new Map([...times].map(([name, all]) => [name, timed(median(all))]))
})

const OPTIONS = {
  reach: "all",
  allowedPaths: [],
  readablePaths: [],
  network: "off",
  grants: Effect.succeed(new Map()),
  grantsFile: "",
  expand: (path: string) => path,
  variables: {},
  warn: () => Effect.void
} as const

/** bubblewrap with the same walls, in which nothing is looked at, checked or restricted besides. */
const bareCall = Effect.fnUntraced(function* ({ argv, cwd, env }: Parameters<typeof ended>[0]) {
  const start = yield* Clock.currentTimeNanos
  yield* ended({ argv: [...argv.slice(0, argv.indexOf("--") + 1), "true"], cwd, env })
  return Number((yield* Clock.currentTimeNanos) - start) / 1e6
})

const ended = (program: Parameters<typeof spawnProgram>[0]) =>
  Effect.promise(async () => {
    const child = spawnProgram(program, { stdin: "ignore", stdout: "ignore", stderr: "inherit" })
    if ((await child.exited) !== 0) throw new Error(`a confined command of the bench failed: ${program.argv.join(" ")}`)
  })
