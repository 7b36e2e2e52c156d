/** What a session has used, as people read it: `/stats` and the words at the end. Pure. */
import { DateTime, Option } from "effect"
import { type Decisions, type ModelStats, sumTokens } from "../../chat/stats/run-stats.ts"
import type { SessionUse } from "../../chat/stats/session-stats.ts"
import { bar, count, percent, seconds, textTable } from "../text-table.ts"

export interface SessionNames {
  readonly sessionId: string
  readonly authType: string | undefined
  /** Who is signed in with Google, and as what. */
  readonly account?:
    | {
        readonly email: string | undefined
        readonly tier: string
        readonly tierName: string | undefined
        readonly credits: { readonly balance: () => number | undefined }
      }
    | undefined
}

export const sessionText = (use: SessionUse, { account, authType, sessionId }: SessionNames): string => {
  const calls = totals(use)
  const apiMs = Object.values(use.models).reduce((sum, model) => sum + model.totalLatencyMs, 0)
  const worked = apiMs + calls.durationMs
  const rows = [
    ["Session", sessionId],
    ["Sign-in", [authType ?? "none", account?.email].filter((word) => word !== undefined).join(", ")],
    ...(account === undefined ? [] : [["Tier", account.tierName ?? account.tier]]),
    ...creditRows(use, account?.credits.balance()),
    ["Tool calls", `${calls.count} (${calls.success} ok, ${calls.fail} failed)`],
    ...(calls.count === 0 ? [] : [["Success rate", percent(calls.success, calls.count)]]),
    ...agreementRows(calls.decisions),
    ["Code changes", `+${use.linesAdded} -${use.linesRemoved}`],
    ["Wall time", seconds(use.wallMs)],
    ["Agent active", seconds(use.activeMs)],
    ["  model", `${seconds(apiMs)}  ${bar(share(apiMs, worked))}  ${percent(apiMs, worked)}`],
    [
      "  tools",
      `${seconds(calls.durationMs)}  ${bar(share(calls.durationMs, worked))}  ${percent(calls.durationMs, worked)}`
    ],
    ...(use.costUsd === undefined || use.costUsd === 0 ? [] : [["Cost (estimate)", `$${use.costUsd.toFixed(4)}`]]),
    ...tierRows(use)
  ]
  const models = modelTable(use.models)
  return [textTable(rows), ...(models === "" ? [] : ["", models])].join("\n")
}

const creditRows = ({ credits }: SessionUse, balance: number | undefined): ReadonlyArray<ReadonlyArray<string>> =>
  credits === 0 && balance === undefined
    ? []
    : [["Credits", [`${count(credits)} used`, ...(balance === undefined ? [] : [`${count(balance)} left`])].join(", ")]]

/** Of no interest where everything was standard. */
const tierRows = ({ tiers }: SessionUse): ReadonlyArray<ReadonlyArray<string>> =>
  Object.keys(tiers).every((name) => name === "standard")
    ? []
    : Object.entries(tiers).map(([name, { costUsd, tokens, totalRequests }]) => [
        `  ${name}`,
        `${counted(totalRequests, "request")}, ${counted(tokens, "token")}${costUsd === undefined ? "" : `, $${costUsd.toFixed(4)}`}`
      ])

const modelTable = (models: SessionUse["models"]): string => {
  const entries = Object.entries(models)
  if (entries.length === 0) return ""
  const header = ["Model", "Requests", "Input", "Cache reads", "Output"]
  const rows = entries.map(([name, { tokens, totalRequests }]) => [
    name,
    count(totalRequests),
    count(tokens.input),
    count(tokens.cached),
    count(tokens.candidates)
  ])
  return textTable([header, ...rows])
}

export const modelText = ({ models }: SessionUse): string => {
  const entries = Object.entries(models)
  if (entries.length === 0) return "No model has been asked yet."
  return entries.map(([name, model]) => `${name}\n${textTable(modelRows(model), "  ")}`).join("\n\n")
}

const modelRows = (model: ModelStats): ReadonlyArray<ReadonlyArray<string>> => [
  ...requestRows(model),
  ...Object.entries(model.roles).flatMap(([role, requests]) =>
    requests === undefined || Object.keys(model.roles).length < 2
      ? []
      : [[`as ${role}`], ...requestRows(requests).map(([label = "", ...rest]) => [`  ${label}`, ...rest])]
  )
]

const requestRows = ({
  tokens,
  totalErrors,
  totalLatencyMs,
  totalRequests
}: Pick<ModelStats, "tokens" | "totalErrors" | "totalLatencyMs" | "totalRequests">): ReadonlyArray<
  ReadonlyArray<string>
> => [
  ["Requests", count(totalRequests)],
  ["Errors", `${count(totalErrors)} (${percent(totalErrors, totalRequests)})`],
  ["Average latency", totalRequests === 0 ? "-" : seconds(totalLatencyMs / totalRequests)],
  ["Tokens", count(tokens.total)],
  ["  input", count(tokens.input)],
  ["  cache reads", `${count(tokens.cached)} (${percent(tokens.cached, tokens.prompt)})`],
  ["  thoughts", count(tokens.thoughts)],
  ["  tool", count(tokens.tool)],
  ["  output", count(tokens.candidates)]
]

export interface QuotaLeft {
  readonly modelId: string
  /** Of 1. */
  readonly left: number | undefined
  readonly remaining: number | undefined
  readonly resetTime: string | undefined
}

export const quotaText = (quota: ReadonlyArray<QuotaLeft>, now: number): string =>
  textTable([["Quota", "Left", "Resets"], ...quota.map((one) => [one.modelId, leftOf(one), resetOf(one, now)])])

const leftOf = ({ left, remaining }: QuotaLeft): string => {
  if (left === undefined) return remaining === undefined ? "-" : count(remaining)
  const share = percent(Math.min(1, Math.max(0, left)), 1)
  if (remaining === undefined || left <= 0) return share
  return `${share} (${count(remaining)} of ${count(remaining / left)})`
}

const resetOf = ({ resetTime }: QuotaLeft, now: number): string =>
  Option.match(Option.flatMap(Option.fromNullable(resetTime), DateTime.make), {
    onNone: () => "-",
    onSome: (at) => {
      const minute = `${DateTime.formatIso(at).slice(0, 16).replace("T", " ")} UTC`
      const left = DateTime.toEpochMillis(at) - now
      return left <= 0 ? minute : `in ${seconds(left)} (${minute})`
    }
  })

export const toolText = (use: SessionUse): string => {
  const entries = Object.entries(use.tools)
  if (entries.length === 0) return "No tool has been called yet."
  const longest = Math.max(...entries.map(([, tool]) => tool.count))
  const rows = entries
    .toSorted(([, one], [, other]) => other.count - one.count)
    .map(([name, tool]) => [
      name,
      count(tool.count),
      bar(share(tool.count, longest)),
      percent(tool.success, tool.count),
      seconds(tool.durationMs / tool.count)
    ])
  const decisions = agreementRows(totals(use).decisions)
  return [
    textTable([["Tool", "Calls", "", "Success", "Average"], ...rows]),
    ...(decisions.length === 0 ? [] : ["", textTable(decisions)])
  ].join("\n")
}

/** One line at the end of a session; empty when nothing was asked. */
export const farewell = (use: SessionUse): string => {
  const models = Object.values(use.models)
  if (models.length === 0) return ""
  const tokens = sumTokens(models.map((model) => model.tokens))
  const calls = totals(use)
  return [
    counted(
      models.reduce((sum, model) => sum + model.totalRequests, 0),
      "request"
    ),
    counted(tokens.total, "token"),
    counted(calls.count, "tool call"),
    `+${use.linesAdded} -${use.linesRemoved} lines`,
    seconds(use.wallMs)
  ].join(", ")
}

const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`

const totals = ({ tools }: SessionUse) => {
  const all = Object.values(tools)
  const sum = (pick: (tool: (typeof all)[number]) => number) => all.reduce((before, tool) => before + pick(tool), 0)
  const decisions: Decisions = {
    accept: sum(({ decisions }) => decisions.accept),
    reject: sum(({ decisions }) => decisions.reject),
    modify: sum(({ decisions }) => decisions.modify),
    auto_accept: sum(({ decisions }) => decisions.auto_accept)
  }
  return {
    count: sum((tool) => tool.count),
    success: sum((tool) => tool.success),
    fail: sum((tool) => tool.fail),
    durationMs: sum((tool) => tool.durationMs),
    decisions
  }
}

const agreementRows = ({ accept, modify, reject }: Decisions): ReadonlyArray<ReadonlyArray<string>> => {
  const reviewed = accept + modify + reject
  return reviewed === 0
    ? []
    : [
        ["Reviewed", `${reviewed} (${accept} accepted, ${reject} rejected, ${modify} modified)`],
        ["Agreement", percent(accept, reviewed)]
      ]
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
