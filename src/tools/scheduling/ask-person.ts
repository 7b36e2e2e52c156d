/**
 * A question to a person about a call, and what follows from the answer: rules for what was allowed for good, another
 * text where they changed it, or a refusal with its reason.
 */
import { Effect } from "effect"
import { Approval, type ApprovalAnswer, type Draft, type StandingOffer } from "../../approval/approval.ts"
import type { AlwaysNarrowing } from "../../policy/always.ts"
import type { Decision } from "../../policy/decision.ts"
import { type AlwaysOptions, Policy } from "../../policy/policy.ts"
import type { Confirmation } from "../../protocol/confirmation.ts"
import type { HookPlace } from "./call-hooks.ts"
import type { Ready } from "./judge-call.ts"
import { argumentsBeside } from "./question-arguments.ts"
import type { CallDecision } from "./run-call.ts"
import { whyAsked } from "./why-asked.ts"

export type Answered =
  | {
      readonly _tag: "Run"
      readonly decision: CallDecision
      readonly wasAsked: boolean
      readonly isReading: boolean
      readonly onlyHosts?: Decision["onlyHosts"]
    }
  | { readonly _tag: "Refused"; readonly reason: string | undefined }
  /** The same call with other arguments, to be judged anew. */
  | { readonly _tag: "Revised"; readonly args: Ready["call"]["args"]; readonly isSettled: boolean }

export interface AskingPlace extends HookPlace {
  /** A hook wants the question: it would want the next one as well, whatever was allowed for good. */
  readonly isByHook: boolean
}

export const askPerson: (
  ready: Ready,
  decision: Decision,
  place: AskingPlace
) => Effect.Effect<Answered, never, Approval | Policy> = Effect.fnUntraced(function* (ready, decision, place) {
  const approval = yield* Approval
  const { emit } = place
  const { call, prepared, tool } = ready
  const confirmation = (yield* prepared.confirmation) ?? genericQuestion(ready)
  if (confirmation === null)
    return { _tag: "Run", decision: "accept", wasAsked: false, isReading: decision.isReading === true }
  yield* place.hooks.notification(confirmation, emit)
  const draft = draftOf(ready, confirmation)
  const answer = yield* approval.ask({
    callId: call.callId,
    toolName: tool.name,
    confirmation,
    arguments: argumentsBeside(tool.name, confirmation, call.args),
    why: whyAsked(decision),
    standing: place.isByHook ? [] : yield* offersFor(ready, decision),
    ...(draft === undefined ? {} : { draft })
  })
  switch (answer._tag) {
    case "No":
      return { _tag: "Refused", reason: answer.reason }
    case "Once":
      return { _tag: "Run", decision: "accept", wasAsked: true, isReading: decision.isReading === true }
    case "Always": {
      const notice = yield* remember(ready, answer)
      if (notice !== undefined) yield* emit({ _tag: "Notice", severity: "info", message: notice })
      return { _tag: "Run", decision: "auto_accept", wasAsked: true, isReading: decision.isReading === true }
    }
    case "Modified": {
      const args = prepared.revise === undefined ? call.args : yield* prepared.revise(answer.text)
      return { _tag: "Revised", args, isSettled: answer.isSettled }
    }
  }
})

/**
 * A tool without a question of its own is asked about in general terms. Not so edits that cannot be made, which explain
 * themselves when they run, and tools that are themselves a question to the person.
 */
const genericQuestion = ({ prepared, tool }: Ready): Confirmation | null =>
  tool.kind === "edit" || tool.kind === "communicate" || tool.kind === "plan"
    ? null
    : { type: "info", title: `Allow ${tool.displayName}?`, prompt: prepared.description, urls: [] }

const draftOf = ({ prepared }: Ready, confirmation: Confirmation): Draft | undefined => {
  if (prepared.revise === undefined) return undefined
  if (confirmation.type === "edit") return { text: confirmation.diff.newContent, fileName: confirmation.diff.fileName }
  return confirmation.type === "exec" ? { text: confirmation.command, fileName: "command.sh" } : undefined
}

const EDITING: ReadonlySet<string> = new Set(["write_file", "replace"])

/** What the policy would take as a standing approval; nothing where it takes none. */
const offersFor = Effect.fnUntraced(function* ({ prepared, tool }: Ready, { power }: Decision) {
  // What covers many calls does not cover a file that gives power: an offer of it would be a promise not kept.
  if (power !== undefined && prepared.narrowing?.by !== "argument") return []
  const policy = yield* Policy
  const offers: Array<StandingOffer> = []
  const add = Effect.fnUntraced(function* (covers: "call" | "server", narrowing: AlwaysNarrowing | undefined) {
    const entry = yield* policy.previewAlways(requestOf(tool.name, narrowing, "user"))
    if (entry !== undefined) offers.push({ covers, what: coverage(tool.displayName, narrowing), savedAs: entry })
  })
  const { narrowing } = prepared
  yield* add("call", narrowing)
  if (narrowing?.by === "mcp") yield* add("server", { by: "mcp", server: narrowing.server })
  // One edit must not open all files without being asked for: switching the mode is an offer of its own.
  if (power === undefined && offers.length > 0 && EDITING.has(tool.name) && (yield* policy.mode) === "default")
    offers.push({ covers: "edits", what: "all edits (approval mode auto_edit)" })
  return offers
})

const coverage = (title: string, narrowing: AlwaysNarrowing | undefined): string => {
  switch (narrowing?.by) {
    case undefined:
      return `every use of ${title}`
    case "argument":
      return `${title} with ${narrowing.key} ${narrowing.value}`
    case "command":
      return `commands that begin with ${narrowing.prefixes.map((prefix) => `"${prefix}"`).join(" or ")}`
    case "hosts":
      return `pages of ${narrowing.hosts.join(", ")}`
    case "mcp":
      return narrowing.tool === undefined
        ? `all tools of server ${narrowing.server}`
        : `${narrowing.tool} of server ${narrowing.server}`
  }
}

/** What to tell the person about it; `undefined` when all is as they asked. */
const remember = Effect.fnUntraced(function* (
  { prepared, tool }: Ready,
  { covers, keep }: Extract<ApprovalAnswer, { readonly _tag: "Always" }>
) {
  const policy = yield* Policy
  if (covers === "edits") {
    return yield* policy.setMode("auto_edit").pipe(
      Effect.as("approval mode is now auto_edit: edits run without a question"),
      Effect.catchTag("ModeError", (error) => Effect.succeed(error.message))
    )
  }
  const { narrowing } = prepared
  const covered =
    covers === "server" && narrowing?.by === "mcp" ? { by: "mcp" as const, server: narrowing.server } : narrowing
  const { file, notice } = yield* policy.addAlways(requestOf(tool.name, covered, keep))
  return notice ?? (file === undefined ? undefined : `saved to ${file}`)
})

const requestOf = (
  toolName: string,
  narrowing: AlwaysNarrowing | undefined,
  keep: AlwaysOptions["keep"]
): AlwaysOptions => ({ toolName, keep, ...(narrowing === undefined ? {} : { narrowing }) })
