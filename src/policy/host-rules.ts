/**
 * Rules about where `web_fetch` goes, and how they write a host. An address that the model made up can carry what it
 * has read to anybody: so a host is fetched from unasked only where a rule or a prompt names it.
 */

import { hostOf, siteOf } from "../system/http/web-url.ts"
import type { Decision, DecisionContext } from "./decision.ts"
import type { PolicyRule } from "./rule.ts"

export const WEB_TOOL = "web_fetch"

/** A permission covers all hosts of a call; a prohibition or a question is about the call if it is about one of them. */
export const matchesHosts = (rule: PolicyRule, { web }: DecisionContext): boolean => {
  const { hosts, namedHosts } = rule
  if (hosts === undefined && namedHosts === undefined) return true
  if (web === undefined || web.sites.length === 0) return false
  const allows = rule.decision === "allow"
  const isCovered = (site: string) =>
    (namedHosts === true && web.named.has(site)) ||
    hosts?.some((written) => web.isAt(site, written) ?? !allows) === true
  return allows ? web.sites.every(isCovered) : web.sites.some(isCovered)
}

/** What the hosts of a call add to its decision. */
export const withReach = (decision: Decision, rule: PolicyRule | undefined, context: DecisionContext): Decision => {
  const { mode, web } = context
  if (web === undefined) return decision
  if (decision.verdict === "allow") {
    const isByHost = rule?.hosts !== undefined || rule?.namedHosts === true
    return isByHost ? { ...decision, onlyHosts: web.reached } : decision
  }
  const unnamed = web.sites.filter((site) => !web.named.has(site))
  return mode === "auto_edit" && rule?.tier === "default" && unnamed.length > 0
    ? { ...decision, reason: `no prompt and no rule names ${listed(unnamed)}` }
    : decision
}

const SHOWN = 3

const listed = (sites: ReadonlyArray<string>): string =>
  [...sites.slice(0, SHOWN), ...(sites.length > SHOWN ? ["others"] : [])].join(", ")

/**
 * A host as a rule writes it: `example.com`, `*.example.com`, or a whole address, of which the host counts.
 * In the spelling that hosts of calls have; `undefined`: it is no host.
 */
export const hostPattern = (written: string): string | undefined => {
  const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(written.trim()) ?? []
  const isAddress = rest.includes(":") && !rest.includes("/") && !rest.startsWith("[") && /^[0-9a-f:.]+$/i.test(rest)
  const url = URL.parse(/^https?:\/\//i.test(rest) ? rest : `http://${isAddress ? `[${rest}]` : rest}`)
  if (url === null || url.username !== "" || rest === "" || /[*\s]/.test(rest)) return undefined
  const host = hostOf(url)
  return host === "" ? undefined : wildcard === "" ? siteOf(host) : `*.${host}`
}
