/**
 * The network of a container: the engine's own, none but a socket to our proxy, or a network without a way out, in which a
 * proxy of the person's choice stands in a second container (`GEMINI_SANDBOX_PROXY_COMMAND`).
 */

import { chmodSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { nonBlank } from "../../kernel/non-blank.ts"
import { answeringPort } from "../../system/http/program-server.ts"
import { runProgram, runToDiagnostics } from "../../system/programs.ts"
import { makeDomainProxy } from "../domain-proxy.ts"
import type { Engine } from "./container.ts"
import { bridgeVariables, sessionFolder } from "./inside-script.ts"
import type { Hop } from "./process-backend.ts"

const INTERNAL = "gemini-cli-sandbox"
const PROXY = "gemini-cli-sandbox-proxy"
export const PROXY_PORT = 8877
const READY_WITHIN = "60 seconds"

export interface Joined {
  readonly network: string | undefined
  readonly isBridged: boolean
  readonly variables: Readonly<Record<string, string>>
  readonly lost?: Effect.Effect<string>
}

interface ProxyInput {
  readonly engine: Engine
  readonly hop: Hop
  readonly image: string
}

export const joinProxy = Effect.fnUntraced(function* (input: ProxyInput) {
  const { hop } = input
  const command = nonBlank(hop.get("GEMINI_SANDBOX_PROXY_COMMAND"))
  if (command !== undefined) return yield* proxyContainer(input, command)
  if (hop.network === "on") return { network: undefined, isBridged: false, variables: {} } satisfies Joined as Joined
  yield* ownProxy(hop, hop.network)
  return { network: "none", isBridged: true, variables: bridgeVariables() } satisfies Joined as Joined
})

/** Its socket lies where it is seen inside. */
export const ownProxy = Effect.fnUntraced(function* (hop: Hop, rules: Exclude<Hop["network"], "on">) {
  const variables = Object.fromEntries(
    ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"].map((name) => [
      name,
      hop.get(name)
    ])
  )
  const { socket } = yield* Effect.mapError(
    makeDomainProxy({ rules, socket: join(sessionFolder(hop.temp), "network"), variables, warn: hop.warn }),
    ({ detail }) => detail
  )
  // The user inside may be another one.
  yield* Effect.sync(() => chmodSync(socket, 0o666))
})

const proxyContainer = Effect.fnUntraced(function* ({ engine, hop, image }: ProxyInput, command: string) {
  yield* networkNamed(engine, hop, INTERNAL, ["--internal"])
  yield* networkNamed(engine, hop, PROXY, [])
  const run = runToDiagnostics({
    argv: [
      engine.program,
      "run",
      "--rm",
      "--init",
      "--name",
      PROXY,
      "--network",
      PROXY,
      "--publish",
      `${PROXY_PORT}:${PROXY_PORT}`,
      "--mount",
      `type=bind,"source=${hop.cwd}","target=${hop.cwd}"`,
      "--workdir",
      hop.cwd,
      "--entrypoint",
      "",
      image,
      "/bin/sh",
      "-c",
      command
    ],
    cwd: hop.cwd,
    env: hop.engineVariables
  })
  yield* Effect.addFinalizer(() => Effect.ignore(asked(engine, hop, ["rm", "--force", PROXY])))
  const ended = yield* Effect.forkScoped(
    Effect.match(run, {
      onFailure: ({ message }) => `the proxy of GEMINI_SANDBOX_PROXY_COMMAND could not be started: ${message}`,
      onSuccess: (code) => `the proxy of GEMINI_SANDBOX_PROXY_COMMAND ended (exit ${code})`
    })
  )
  yield* answeringPort(PROXY_PORT).pipe(
    Effect.timeoutFail({
      duration: READY_WITHIN,
      onTimeout: () =>
        `the proxy of GEMINI_SANDBOX_PROXY_COMMAND did not answer on port ${PROXY_PORT} within ${READY_WITHIN}`
    }),
    Effect.raceFirst(Effect.flatMap(ended.await, (exit) => Effect.flatMap(exit, Effect.fail)))
  )
  const joined = yield* asked(engine, hop, ["network", "connect", INTERNAL, PROXY])
  if (joined.exitCode !== 0)
    return yield* Effect.fail(`the proxy cannot join the network ${INTERNAL}: ${joined.stderr.trim()}`)
  return {
    network: INTERNAL,
    isBridged: false,
    variables: proxyVariables(hop),
    lost: Effect.flatMap(ended.await, (exit) => Effect.orDie(exit))
  } satisfies Joined as Joined
})

/** Which address programs are to use, where one is named already: it is another machine's name inside. */
export const proxyVariables = ({ get }: Pick<Hop, "get">, name: string = PROXY): Readonly<Record<string, string>> => {
  const named = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].map((key) => nonBlank(get(key)))
  const proxy = (named.find((value) => value !== undefined) ?? `http://localhost:${PROXY_PORT}`).replace(
    "localhost",
    () => name
  )
  const without = nonBlank(get("NO_PROXY")) ?? nonBlank(get("no_proxy"))
  return {
    ...Object.fromEntries(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].map((key) => [key, proxy])),
    ...(without === undefined ? {} : { NO_PROXY: without, no_proxy: without })
  }
}

const networkNamed = Effect.fnUntraced(function* (
  engine: Engine,
  hop: Hop,
  name: string,
  options: ReadonlyArray<string>
) {
  const found = yield* asked(engine, hop, ["network", "inspect", name])
  if (found.exitCode === 0) return
  const made = yield* asked(engine, hop, ["network", "create", ...options, name])
  if (made.exitCode !== 0) return yield* Effect.fail(`the network ${name} could not be made: ${made.stderr.trim()}`)
})

const asked = (engine: Engine, { engineVariables }: Hop, words: ReadonlyArray<string>) =>
  Effect.mapError(
    runProgram({
      argv: [engine.program, ...words],
      cwd: "/",
      env: engineVariables,
      timeout: "30 seconds",
      maxOutputBytes: 64 * 1024,
      onTooMuch: "drop",
      reach: "group",
      leftovers: "keep",
      grace: 0
    }),
    ({ message }) => message
  )
