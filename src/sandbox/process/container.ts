/**
 * Containers of podman and docker (`runsc` is docker with gVisor's runtime). The image brings the tools, not this program:
 * its own file is mounted, so any image with a shell and the C library that it was built for will do.
 */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { nonBlank } from "../../kernel/non-blank.ts"
import { runProgram } from "../../system/programs.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { type ContainerSetting, containerArguments, containerName } from "./container-arguments.ts"
import { isMapped, readyImage } from "./container-image.ts"
import { joinProxy } from "./container-proxy.ts"
import { type ContainerWishes, containerWishes } from "./container-wishes.ts"
import { insideCommand, sessionFolder, setupScript, variablesScript } from "./inside-script.ts"
import type { EnteredProcess, Hop, Mount, ProcessBackend } from "./process-backend.ts"

export interface Engine {
  readonly name: "podman" | "docker" | "runsc"
  /** Its program. */
  readonly program: string
  readonly isRootless: boolean
}

/** Where the program is seen inside. */
const SELF = "/usr/local/bin/gemini"
/** Of the user that images for this purpose have, where ours is not mapped. */
const IMAGE_HOME = "/home/node"
const TEMP = "/tmp"

export const container = (engine: Engine): ProcessBackend => ({
  name: engine.name,
  strength: "full",
  gaps: ({ network }) => [
    "secrets in the workspace, such as .env, can be read",
    "a command can create .git or .gemini in a folder of the workspace that has none, or moves one aside that has one",
    "in a repository a command can leave hooks where there are none, and a rebase whose steps run when you continue it",
    "tokens of MCP servers stay outside, and what is changed in ~/.gemini goes with the run, but for its records",
    ...(network === "on" ? ["commands have the network of this program"] : [])
  ],
  enter: (hop) => Effect.mapError(enter(engine, hop), (detail) => hopFailed(engine.name, detail))
})

const enter = Effect.fnUntraced(function* (engine: Engine, hop: Hop) {
  const wishes = yield* containerWishes(hop.get, existsSync)
  const image = yield* readyImage(engine, hop)
  const number = crypto.randomUUID().replaceAll("-", "").slice(0, 12)
  const name = containerName(image, number)
  const isOurUser = isMapped(hop.get("SANDBOX_SET_UID_GID"))
  if (Either.isLeft(isOurUser)) return yield* Effect.fail(isOurUser.left)
  const proxy = yield* joinProxy({ engine, hop, image })
  const authFile = join(hop.folder, "registries.json")
  const inside = sessionFolder(hop.temp)
  yield* Effect.sync(() => {
    writeFileSync(authFile, "{}", { mode: 0o600 })
    const given = {
      ...hop.variables,
      ...wishes.variables,
      ...proxy.variables,
      ...places(hop, isOurUser.right),
      SANDBOX: name
    }
    // Whoever reads it inside may be somebody else; nobody outside can enter the folder above.
    writeFileSync(join(inside, "variables"), variablesScript(given), { mode: 0o644 })
    writeFileSync(join(inside, "setup"), setupOf(hop, wishes), { mode: 0o644 })
  })
  const setting: ContainerSetting = {
    hop,
    engine: engine.name === "podman" ? "podman" : "docker",
    isGvisor: engine.name === "runsc",
    name,
    image,
    flags: wishes.flags,
    mounts: mountsOf(hop, wishes, isOurUser.right),
    ports: [...wishes.ports, ...debugPort(hop)],
    user: isOurUser.right ? userOf(engine) : undefined,
    isRootless: engine.isRootless,
    network: proxy.network,
    authFile,
    command: insideCommand({
      temp: TEMP,
      shell: startFile(hop) === undefined ? "/bin/sh" : "bash",
      self: [SELF, ...hop.self.slice(1)],
      args: hop.args,
      isBridged: proxy.isBridged
    })
  }
  return {
    program: { argv: [engine.program, ...containerArguments(setting)], cwd: hop.cwd, env: hop.engineVariables },
    signal: (signal) => ask(engine, hop, ["kill", "--signal", signal, name]),
    end: ask(engine, hop, ["rm", "--force", name]),
    ...(proxy.lost === undefined ? {} : { lost: proxy.lost })
  } satisfies EnteredProcess as EnteredProcess
})

/** Rights of root inside are the user's own where an engine without rights maps it so. */
const userOf = ({ isRootless, name }: Engine): string =>
  isRootless && name !== "podman" ? "0:0" : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`

const places = ({ home, get }: Hop, isOurUser: boolean): Readonly<Record<string, string>> => {
  const environment = nonBlank(get("VIRTUAL_ENV"))
  return {
    TMPDIR: TEMP,
    ...(isOurUser && home !== undefined ? { HOME: home } : { HOME: IMAGE_HOME }),
    ...(environment === undefined ? {} : { VIRTUAL_ENV: environment })
  }
}

const mountsOf = (hop: Hop, wishes: ContainerWishes, isOurUser: boolean): ReadonlyArray<Mount> => {
  const same = (mode: Mount["mode"]) => (path: string) => ({ from: path, to: path, mode })
  const mounts: ReadonlyArray<Mount> = [
    { from: hop.temp, to: TEMP, mode: "rw" },
    ...[hop.cwd, ...hop.roots, ...hop.repositories].map(same("rw")),
    ...virtualEnvironment(hop),
    ...hop.allowedPaths.map(same("ro")),
    ...hop.guarded.map(same("ro")),
    ...hop.userFolder,
    ...(isOurUser
      ? []
      : hop.userFolder.map((mount) => ({
          ...mount,
          to: mount.to.replace(hop.userDir, () => `${IMAGE_HOME}/.gemini`)
        }))),
    ...hop.files.map(same("ro")),
    { from: hop.self[0] ?? process.execPath, to: SELF, mode: "ro" },
    ...hop.self.slice(1).map(same("ro")),
    ...wishes.mounts
  ]
  // The last word about a place counts.
  return [...new Map(mounts.map((mount) => [mount.to, mount])).values()]
}

/** An environment of the host is of no use inside: the project may have one for the sandbox. */
const virtualEnvironment = ({ cwd, get }: Hop): ReadonlyArray<Mount> => {
  const place = nonBlank(get("VIRTUAL_ENV"))
  const own = join(cwd, ".gemini/sandbox.venv")
  return place?.startsWith(`${cwd}/`) === true && existsSync(own) ? [{ from: own, to: place, mode: "rw" }] : []
}

const setupOf = (hop: Hop, { ports }: ContainerWishes): string =>
  setupScript({
    cwd: hop.cwd,
    path: hop.path,
    pythonPath: hop.get("PYTHONPATH") ?? "",
    ports,
    startFile: startFile(hop)
  })

/** Runs with the project's words, so only where the folder is trusted. */
const startFile = ({ cwd, isTrusted }: Hop): string | undefined => {
  const file = join(cwd, ".gemini/sandbox.bashrc")
  return isTrusted && existsSync(file) ? file : undefined
}

const debugPort = ({ get }: Hop): ReadonlyArray<number> => {
  if (!/^(?:true|1)$/.test(get("DEBUG") ?? "")) return []
  const port = Number(get("DEBUG_PORT") ?? "9229")
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? [port] : []
}

export const ask = (engine: Engine, { engineVariables }: Hop, words: ReadonlyArray<string>) =>
  Effect.ignore(
    runProgram({
      argv: [engine.program, ...words],
      cwd: "/",
      env: engineVariables,
      timeout: "5 seconds",
      maxOutputBytes: 4096,
      onTooMuch: "drop",
      reach: "group",
      leftovers: "keep",
      grace: 0
    })
  )
