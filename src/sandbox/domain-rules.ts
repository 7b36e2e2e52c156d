/**
 * Which hosts confined commands may connect to, where the network is open for a list of domains. Pure.
 *
 * A host has many spellings (case, a trailing dot, other alphabets, numbers as addresses). Each is brought to one form
 * first, and that form is what is decided about and what is connected to: there is no second reading.
 */
import { isAddress } from "../system/http/public-address.ts"

export interface DomainRule {
  /** As it was written. */
  readonly text: string
  /** In the one form. */
  readonly host: string
  /** `*.example.com`: every host below it, and not itself. */
  readonly below: boolean
  /** Absent: those of the web. */
  readonly port: number | undefined
}

const WEB_PORTS = [80, 443]

/** `undefined`: it is no rule. `*` and `*.com` are none: who means everything says so (`tools.sandboxNetworkAccess`). */
export const parseDomainRule = (text: string): DomainRule | undefined => {
  const [, star = "", name = "", port] = /^(\*\.)?([^:]*)(?::(\d{1,5}))?$/s.exec(text.trim()) ?? []
  const host = plainHost(name)
  const below = star !== ""
  const number = port === undefined ? undefined : Number(port)
  if (host === undefined || (below && !host.includes("."))) return undefined
  if (number !== undefined && (number < 1 || number > 65_535)) return undefined
  return { text: text.trim(), host, below, port: number }
}

export type HostVerdict =
  | { readonly host: string; readonly port: number; readonly isOwnMachine: boolean }
  | { readonly refused: string }

export const decideHost = (rules: ReadonlyArray<DomainRule>, given: string, port: number): HostVerdict => {
  if (isLiteral(given)) return { refused: "addresses are not connected to, only names" }
  const host = plainHost(given)
  if (host === undefined) return { refused: "it is not the name of a host" }
  const named = rules.filter((rule) => (rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host))
  if (named.length === 0) return { refused: "it is not among the allowed domains" }
  return named.some((rule) => (rule.port === undefined ? WEB_PORTS.includes(port) : rule.port === port))
    ? { host, port, isOwnMachine: host === "localhost" || host.endsWith(".localhost") }
    : { refused: `port ${port} is not allowed there` }
}

/** The one form; `undefined`: it is no name. */
const plainHost = (given: string): string | undefined => {
  if (given.length > 253 + 1 || !/^[\p{L}\p{M}\p{N}._\-。．｡]+$/u.test(given)) return undefined
  const host = URL.parse(`http://${given}/`)?.hostname.replace(/\.$/, "")
  if (host === undefined || isAddress(host)) return undefined
  return /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(host) ? host : undefined
}

const isLiteral = (given: string): boolean => {
  if (given.includes(":") || given.startsWith("[")) return true
  const host = URL.parse(`http://${given}/`)?.hostname.replace(/\.$/, "")
  return host !== undefined && isAddress(host)
}
