/** The proxy of a session whose commands may reach some domains: made at the first of them, told of when it refuses. */
import { Effect, Runtime } from "effect"
import { visibleText } from "../kernel/visible-text.ts"
import { serveFilteringProxy } from "../system/http/filtering-proxy.ts"
import { type DomainRule, decideHost } from "./domain-rules.ts"
import { SandboxFault } from "./sandbox.ts"

export interface DomainProxyOptions {
  readonly rules: ReadonlyArray<DomainRule>
  /** Path of its socket. */
  readonly socket: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly warn: (text: string) => Effect.Effect<void>
}

export interface DomainProxy {
  readonly socket: string
  readonly opensLocalhost: boolean
  /** From the call on; each host once. */
  readonly refusedFromNow: () => () => ReadonlyArray<string>
}

/** What a run remembers of refusals. A program that asks for ever more hosts is not worth more. */
const MOST_REFUSALS = 1000
const LONGEST_HOST = 200

export const makeDomainProxy = Effect.fnUntraced(function* ({ rules, socket, variables, warn }: DomainProxyOptions) {
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  const refused: Array<string> = []
  yield* serveFilteringProxy({
    socket,
    variables,
    decide: (host, port) => decideHost(rules, host, port),
    onRefused: (host, port, why) => {
      const place = visibleText(`${host.slice(0, LONGEST_HOST)}:${port}`)
      if (!refused.includes(place) && refused.length < MOST_REFUSALS) {
        run(
          warn(
            `the sandbox refused a connection to ${place}: ${why}. To allow it, add the host to tools.sandboxAllowedDomains`
          )
        )
      }
      if (refused.length < MOST_REFUSALS) refused.push(place)
      return `gemini sandbox: ${place} is refused: ${why}. The setting tools.sandboxAllowedDomains can allow it.`
    }
  }).pipe(Effect.mapError((detail) => new SandboxFault({ detail: `no proxy: ${detail}` })))
  return {
    socket,
    opensLocalhost: rules.some(({ host }) => host === "localhost"),
    refusedFromNow: () => {
      const before = refused.length
      return () => [...new Set(refused.slice(before))]
    }
  } satisfies DomainProxy as DomainProxy
})
