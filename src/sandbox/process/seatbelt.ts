/** The whole process under macOS's own sandbox, by one of our profiles (`seatbelt-profile.ts`) or one of somebody's own. */
import { existsSync, realpathSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { nonBlank } from "../../kernel/non-blank.ts"
import { withVariables } from "../../system/child-variables.ts"
import { answeringPort } from "../../system/http/program-server.ts"
import { runProgram } from "../../system/programs.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { PROXY_PORT, proxyVariables } from "./container-proxy.ts"
import { insideCommand, sessionFolder, setupScript, variablesScript } from "./inside-script.ts"
import type { EnteredProcess, Hop, ProcessBackend } from "./process-backend.ts"
import { MOST_INCLUDED, SEATBELT_PROFILES, seatbeltNamed, seatbeltProfile } from "./seatbelt-profile.ts"

const DEFAULT_PROFILE = "permissive-open"

/** `program`: the path of `sandbox-exec`. */
export const seatbelt = (program: string): ProcessBackend => ({
  name: "sandbox-exec",
  strength: "partial",
  gaps: (hop) => {
    const profile = seatbeltNamed(profileName(hop))
    return [
      "credentials of ~/.gemini can be read",
      ...(profile === undefined ? ["the profile is your own: what it allows is not known here"] : []),
      ...(profile !== undefined && profile.reads !== "strict" ? ["all your files can be read"] : []),
      ...(profile?.network === "open" ? ["commands have the network of this program"] : [])
    ]
  },
  enter: (hop) => Effect.mapError(enter(program, hop), (detail) => hopFailed("sandbox-exec", detail))
})

const profileName = ({ get }: Hop): string => nonBlank(get("SEATBELT_PROFILE")) ?? DEFAULT_PROFILE

const enter = Effect.fnUntraced(function* (program: string, hop: Hop) {
  const own = yield* profileFile(hop)
  const cache = yield* cacheFolder(hop)
  const proxy = yield* proxyOf(hop)
  const inside = sessionFolder(hop.temp)
  const file = own ?? join(hop.folder, "profile.sb")
  yield* Effect.sync(() => {
    const profile = seatbeltNamed(profileName(hop))
    if (own === undefined && profile !== undefined) writeFileSync(file, seatbeltProfile(profile), { mode: 0o600 })
    const given = {
      ...hop.variables,
      ...proxy,
      SANDBOX: "sandbox-exec",
      ...(hop.home === undefined ? {} : { HOME: hop.home })
    }
    writeFileSync(join(inside, "variables"), variablesScript(given), { mode: 0o600 })
    writeFileSync(
      join(inside, "setup"),
      setupScript({ cwd: hop.cwd, path: "", pythonPath: "", ports: [], startFile: undefined })
    )
  })
  const included = [...hop.roots, ...hop.allowedPaths]
  if (included.length > MOST_INCLUDED) {
    return yield* Effect.fail(
      `profiles take ${MOST_INCLUDED} folders beside the workspace, and there are ${included.length}`
    )
  }
  const parameters = {
    TARGET_DIR: hop.cwd,
    TMP_DIR: realpathSync(hop.temp),
    HOME_DIR: hop.home ?? "/dev/null",
    CACHE_DIR: cache,
    SELF: hop.self[0] ?? process.execPath,
    ...Object.fromEntries(
      Array.from({ length: MOST_INCLUDED }, (_, index) => [`INCLUDE_DIR_${index}`, included[index] ?? "/dev/null"])
    )
  }
  return {
    program: {
      argv: [
        program,
        ...Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]),
        "-f",
        file,
        ...insideCommand({ temp: hop.temp, shell: "/bin/sh", self: hop.self, args: hop.args, isBridged: false })
      ],
      cwd: hop.cwd,
      env: withVariables(hop.engineVariables, { PATH: hop.path, TMPDIR: hop.temp })
    }
  } satisfies EnteredProcess as EnteredProcess
})

/** Somebody's own, by name: of the user, or of a project that is trusted. */
const profileFile = Effect.fnUntraced(function* (hop: Hop) {
  const name = profileName(hop)
  if (seatbeltNamed(name) !== undefined) return undefined
  const file = `sandbox-macos-${basename(name)}.sb`
  const places = [join(hop.userDir, file), ...(hop.isTrusted ? [join(hop.cwd, ".gemini", file)] : [])]
  const found = places.find((path) => existsSync(path))
  return (
    found ??
    (yield* Effect.fail(
      `there is no profile "${name}" (SEATBELT_PROFILE): it is none of ${SEATBELT_PROFILES.join(", ")}, and there is no ${places.join(" and no ")}`
    ))
  )
})

const cacheFolder = ({ engineVariables }: Hop) =>
  runProgram({
    argv: ["getconf", "DARWIN_USER_CACHE_DIR"],
    cwd: "/",
    env: engineVariables,
    timeout: "5 seconds",
    maxOutputBytes: 4096,
    reach: "group",
    leftovers: "end",
    grace: 0
  }).pipe(
    Effect.map(({ stdout }) => nonBlank(stdout)?.replace(/(.)\/$/, "$1") ?? "/dev/null"),
    Effect.orElseSucceed(() => "/dev/null")
  )

/** It runs outside, as a program of the person's. */
const proxyOf = Effect.fnUntraced(function* (hop: Hop) {
  const command = nonBlank(hop.get("GEMINI_SANDBOX_PROXY_COMMAND"))
  if (command === undefined) return {}
  yield* Effect.forkScoped(
    Effect.ignore(
      runProgram({
        argv: ["/bin/sh", "-c", command],
        cwd: hop.cwd,
        env: hop.engineVariables,
        maxOutputBytes: 64 * 1024,
        onTooMuch: "drop",
        reach: "group",
        leftovers: "end",
        grace: "2 seconds"
      })
    )
  )
  yield* Effect.timeoutFail(answeringPort(PROXY_PORT), {
    duration: "60 seconds",
    onTimeout: () => `the proxy of GEMINI_SANDBOX_PROXY_COMMAND did not answer on port ${PROXY_PORT} within 60 seconds`
  })
  return proxyVariables(hop, "localhost")
})
