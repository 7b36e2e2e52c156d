/**
 * A system container of LXD that is there already and stays: folders are added to it as devices for the time of the run.
 * Its user is its root, mapped as LXD does.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either, Schema } from "effect"
import { nonBlank } from "../../kernel/non-blank.ts"
import { runProgram } from "../../system/programs.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { insideCommand, sessionFolder, setupScript, variablesScript } from "./inside-script.ts"
import type { EnteredProcess, Hop, Mount, ProcessBackend } from "./process-backend.ts"

const DEFAULT_NAME = "gemini-sandbox"
const SELF = "/opt/gemini/gemini"
const TEMP = "/opt/gemini/tmp"

/** `program`: the path of `lxc`. */
export const lxc = (program: string): ProcessBackend => ({
  name: "lxc",
  strength: "partial",
  gaps: () => [
    "everything that is in the container can be read and changed, also after the run",
    "secrets in the workspace, such as .env, can be read",
    "commands have the network of the container"
  ],
  enter: (hop) => Effect.mapError(enter(program, hop), (detail) => hopFailed("lxc", detail))
})

const Listed = Schema.parseJson(Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String })))

const enter = Effect.fnUntraced(function* (program: string, hop: Hop) {
  const name = nonBlank(hop.image) ?? DEFAULT_NAME
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) return yield* Effect.fail(`"${name}" is not the name of a container`)
  const asked = ask(program, hop)
  const list = yield* asked(["list", `^${name}$`, "--format=json"])
  const found = Either.getOrElse(Schema.decodeUnknownEither(Listed)(list.stdout), () => [])
  const status = found.find((one) => one.name === name)?.status
  if (status === undefined) {
    return yield* Effect.fail(`there is no container ${name}; make one: lxc launch ubuntu:24.04 ${name}`)
  }
  if (status.toLowerCase() !== "running") {
    return yield* Effect.fail(`the container ${name} is ${status.toLowerCase()}; start it: lxc start ${name}`)
  }
  const inside = sessionFolder(hop.temp)
  yield* Effect.sync(() => {
    const variables = {
      ...hop.variables,
      SANDBOX: name,
      TMPDIR: TEMP,
      ...(hop.home === undefined ? {} : { HOME: hop.home })
    }
    writeFileSync(join(inside, "variables"), variablesScript(variables), { mode: 0o644 })
    writeFileSync(
      join(inside, "setup"),
      setupScript({
        cwd: hop.cwd,
        path: hop.path,
        pythonPath: hop.get("PYTHONPATH") ?? "",
        ports: [],
        startFile: undefined
      })
    )
  })
  for (const mount of mountsOf(hop)) yield* device(asked, name, mount)
  const command = insideCommand({
    temp: TEMP,
    shell: "/bin/sh",
    self: [SELF, ...hop.self.slice(1)],
    args: hop.args,
    isBridged: false
  })
  const terminal = hop.takesTerminal ? "--force-interactive" : "--force-noninteractive"
  return {
    program: {
      argv: [program, "exec", name, terminal, "--cwd", hop.cwd, "--", ...command],
      cwd: hop.cwd,
      env: hop.engineVariables
    }
  } satisfies EnteredProcess as EnteredProcess
})

const mountsOf = (hop: Hop): ReadonlyArray<Mount> => [
  { from: hop.temp, to: TEMP, mode: "rw" },
  ...[hop.cwd, ...hop.roots, ...hop.repositories].map((path): Mount => ({ from: path, to: path, mode: "rw" })),
  ...[...hop.allowedPaths, ...hop.guarded, ...hop.files].map((path): Mount => ({ from: path, to: path, mode: "ro" })),
  ...hop.userFolder,
  { from: hop.self[0] ?? process.execPath, to: SELF, mode: "ro" }
]

type Ask = ReturnType<typeof ask>

/** Under a name of its own, and gone with the run. */
const device = Effect.fnUntraced(function* (asked: Ask, container: string, { from, mode, to }: Mount) {
  const name = `gemini-${crypto.randomUUID().slice(0, 12)}`
  const words = ["config", "device", "add", container, name, "disk", `source=${from}`, `path=${to}`]
  const added = yield* asked([...words, ...(mode === "ro" ? ["readonly=true"] : [])])
  if (added.exitCode !== 0) {
    return yield* Effect.fail(`${from} cannot be added to the container ${container}: ${added.stderr.trim()}`)
  }
  yield* Effect.addFinalizer(() => Effect.ignore(asked(["config", "device", "remove", container, name])))
})

const ask =
  (program: string, { engineVariables }: Hop) =>
  (words: ReadonlyArray<string>) =>
    Effect.mapError(
      runProgram({
        argv: [program, ...words],
        cwd: "/",
        env: engineVariables,
        timeout: "30 seconds",
        maxOutputBytes: 1024 * 1024,
        onTooMuch: "drop",
        reach: "group",
        leftovers: "keep",
        grace: 0
      }),
      ({ message }) => message
    )
