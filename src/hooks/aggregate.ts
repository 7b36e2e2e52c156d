/**
 * The answers of several hooks as one. "Later" is the order of the plan, whoever ended first; and a refusal wins over
 * every permission, wherever it stands.
 */
import { Predicate } from "effect"
import type { HookEvent } from "./hook-event.ts"
import type { HookDecision, HookOutput } from "./output.ts"

export const aggregate = (event: HookEvent, outputs: ReadonlyArray<HookOutput>): HookOutput => {
  switch (event) {
    case "BeforeTool":
    case "AfterTool":
    case "BeforeAgent":
    case "AfterAgent":
    case "SessionStart":
      return { ...joinedTexts(outputs), ...verdictOf(outputs), ...specificOf(outputs) }
    case "BeforeModel":
    case "AfterModel":
      return { ...laid(outputs), ...verdictOf(outputs), ...specificOf(outputs) }
    case "BeforeToolSelection":
      return selectionOf(outputs)
    case "SessionEnd":
    case "Notification":
    case "PreCompress":
      return laid(outputs)
  }
}

/** Later fields lie over earlier ones. */
const laid = (outputs: ReadonlyArray<HookOutput>): HookOutput => Object.assign({}, ...outputs)

const joinedTexts = (outputs: ReadonlyArray<HookOutput>): HookOutput => {
  const systemMessage = lines(outputs.map((output) => output.systemMessage))
  return {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(outputs.some(({ suppressOutput }) => suppressOutput === true) ? { suppressOutput: true } : {})
  }
}

/** Stopping and deciding, each with the reasons of those who wanted it. */
const verdictOf = (outputs: ReadonlyArray<HookOutput>): HookOutput => {
  const stopping = outputs.filter((output) => output.continue === false)
  const decision = strictest(outputs)
  const agreeing = decision === undefined ? outputs : outputs.filter((output) => output.decision === decision)
  const stopReason = lines(stopping.map((output) => output.stopReason ?? output.reason))
  const reason = lines(agreeing.map((output) => output.reason))
  return {
    ...(stopping.length === 0 ? {} : { continue: false }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason })
  }
}

const STRICTNESS: ReadonlyArray<HookDecision> = ["deny", "ask", "allow"]

const strictest = (outputs: ReadonlyArray<HookOutput>): HookDecision | undefined =>
  STRICTNESS.find((decision) => outputs.some((output) => output.decision === decision))

/** Contexts are joined, clearing needs one voice, changes lie over each other; of the rest the later counts. */
const specificOf = (outputs: ReadonlyArray<HookOutput>): Pick<HookOutput, "specific"> => {
  const all = outputs.flatMap(({ specific }) => (specific === undefined ? [] : [specific]))
  if (all.length === 0) return {}
  const context = lines(all.map(({ additionalContext }) => textOf(additionalContext)))
  const changes = ["tool_input", "llm_request"].flatMap((name) => {
    const given = all.map((one) => one[name]).filter(Predicate.isReadonlyRecord)
    return given.length === 0 ? [] : [[name, Object.assign({}, ...given)] as const]
  })
  return {
    specific: {
      ...Object.assign({}, ...all),
      ...Object.fromEntries(changes),
      ...(context === undefined ? {} : { additionalContext: context }),
      ...(all.some(({ clearContext }) => clearContext === true) ? { clearContext: true } : {})
    }
  }
}

type Mode = "NONE" | "ANY" | "AUTO"

/** Who says nothing about tools leaves the request alone. */
const selectionOf = (outputs: ReadonlyArray<HookOutput>): HookOutput => {
  const wishes = outputs.flatMap(({ specific }) =>
    Predicate.isReadonlyRecord(specific?.toolConfig) ? [specific.toolConfig] : []
  )
  if (wishes.length === 0) return {}
  const has = (mode: Mode) => wishes.some((wish) => wish.mode === mode)
  if (has("NONE")) return { specific: { toolConfig: { mode: "NONE", allowedFunctionNames: [] } } }
  const names = wishes.flatMap(({ allowedFunctionNames: list }) => (Array.isArray(list) ? list : []))
  const allowedFunctionNames = [...new Set(names.filter(Predicate.isString))].sort()
  return { specific: { toolConfig: { mode: has("ANY") ? "ANY" : "AUTO", allowedFunctionNames } } }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const lines = (texts: ReadonlyArray<string | undefined>): string | undefined => {
  const said = texts.filter((text) => text !== undefined && text !== "")
  return said.length === 0 ? undefined : said.join("\n")
}
