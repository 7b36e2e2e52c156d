/**
 * A question to a person about a call, and what follows from the answer: rules for what was allowed for good, another
 * text where they changed it, or a refusal with its reason.
 */
import { Effect } from "effect"
import {
  Approval,
  type ApprovalAnswer,
  type Draft,
  type ShownArgument,
  type StandingOffer
} from "../../approval/approval.ts"
import type { AlwaysNarrowing } from "../../policy/always.ts"
import type { Decision } from "../../policy/decision.ts"
import { type AlwaysOptions, Policy } from "../../policy/policy.ts"
import type { Confirmation } from "../../protocol/confirmation.ts"
import type { Expansion } from "../../sandbox/sandbox.ts"
import { type CallExpansion, withoutCallOptions } from "../tool.ts"
import type { HookPlace } from "./call-hooks.ts"
import type { Ready } from "./judge-call.ts"
import type { CallDecision } from "./run-call.ts"

export type Answered =
  | {
      readonly _tag: "Run"
      readonly decision: CallDecision
      readonly wasAsked: boolean
      readonly isReading: boolean
      readonly onlyHosts?: Decision["onlyHosts"]
      readonly opens?: CallExpansion["grant"]
    }
  | { readonly _tag: "Refused"; readonly reason: string | undefined }
  /** The same call with other arguments, to be judged anew. */
  | { readonly _tag: "Revised"; readonly args: Ready["call"]["args"]; readonly isSettled: boolean }

export interface AskingPlace extends HookPlace {
  /** A hook wants the question: it would want the next one as well, whatever was allowed for good. */
  readonly isByHook: boolean
  /** What the same answer would open to the call. */
  readonly expansion?: CallExpansion | undefined
}

// Why a person is asked, in one line: the policy's reason, the commands of a line it is about, and who made the rule.

/** More would hide the question behind its explanation. */
const MAX_COMMANDS = 3
const LONGEST_COMMAND = 40

export const whyAsked = ({ commands, reason, rule }: Decision): string => {
  const asking = commands.filter(({ verdict }) => verdict === "ask").map(({ command }) => shortened(command))
  const isPartOfLine = asking.length > 0 && commands.length > 1
  const named = [...asking.slice(0, MAX_COMMANDS), ...(asking.length > MAX_COMMANDS ? ["others"] : [])]
  // Rules that ship are behind most questions and tell nothing more.
  const source = rule === undefined || rule.tier === "default" ? "" : ` (${rule.text}, ${rule.source})`
  return `${reason}${source}${isPartOfLine ? `, about ${named.join(", ")}` : ""}`
}

const shortened = (command: string): string => {
  const flat = command.replace(/\s+/g, " ").trim()
  return flat.length > LONGEST_COMMAND ? `${flat.slice(0, LONGEST_COMMAND - 3)}...` : flat
}

/**
 * Which arguments of a call a person is shown beside the question itself: all of them, but for those that the question
 * contains and those that change nothing. A tool or an argument that nobody thought of here is shown.
 */
interface LeftOut {
  /** The question shows their whole meaning. */
  readonly contained: ReadonlyArray<string>
  /** Whatever their value, the call does the same; with the reason. */
  readonly harmless?: Readonly<Record<string, string>>
}

export const LEFT_OUT: Readonly<Record<string, LeftOut>> = {
  run_shell_command: {
    contained: ["command", "dir_path", "is_background"],
    harmless: {
      additional_permissions: "what is lacking of them stands in the question; else they open nothing",
      description: "words about the command, which is shown itself",
      delay_ms: "how long the call waits for first output of a command that goes on anyway",
      modified_by_user: "only worded differently for the model"
    }
  },
  write_file: {
    contained: ["file_path", "content"],
    harmless: {
      modified_by_user: "only worded differently for the model",
      ai_proposed_content: "what a person changed: kept for the record"
    }
  },
  replace: {
    contained: ["file_path", "old_string", "new_string", "allow_multiple", "expected_replacements"],
    harmless: {
      instruction: "helps to find the place; the diff shows what was found, and only that is written",
      modified_by_user: "only worded differently for the model",
      ai_proposed_content: "what a person changed: kept for the record"
    }
  },
  save_memory: {
    contained: ["fact", "modified_content"],
    harmless: { modified_by_user: "chooses between two texts, of which the diff shows the one that is written" }
  },
  google_web_search: { contained: ["query"] },
  web_fetch: { contained: ["prompt", "url"] },
  enter_plan_mode: { contained: ["reason"] },
  invoke_agent: { contained: ["agent_name", "prompt"] },
  activate_skill: { contained: ["name"] }
}

export const argumentsBeside = (
  toolName: string,
  confirmation: Confirmation,
  args: Readonly<Record<string, unknown>>
): ReadonlyArray<ShownArgument> => {
  // A question about a tool of a server is its arguments.
  if (confirmation.type === "mcp") return []
  const leftOut = Object.hasOwn(LEFT_OUT, toolName) ? LEFT_OUT[toolName] : undefined
  return Object.entries(withoutCallOptions(args))
    .filter(([name, value]) => {
      if (value === undefined || leftOut?.contained.includes(name) === true) return false
      return !Object.hasOwn(leftOut?.harmless ?? {}, name)
    })
    .map(([name, value]) => ({ name, value: typeof value === "string" ? value : JSON.stringify(value, null, 2) }))
}

/** The question about the call, as one about the sandbox too. */
export const openingQuestion = (plain: Confirmation, expansion: Expansion, isAgain: boolean): Confirmation => {
  if (plain.type !== "exec") return plain
  const { domains, network, reads, writes } = expansion.grant
  return {
    ...plain,
    type: "sandbox_expansion",
    title: isAgain
      ? "Run it again, and open more of the sandbox to it?"
      : "Run this, and open more of the sandbox to it?",
    isAgain,
    opens: expansion.opens,
    origin: expansion.origin,
    additionalPermissions: {
      network,
      ...(domains.length === 0 ? {} : { domains }),
      fileSystem: { read: reads, write: writes }
    }
  }
}

export const askPerson: (
  ready: Ready,
  decision: Decision,
  place: AskingPlace
) => Effect.Effect<Answered, never, Approval | Policy> = Effect.fnUntraced(function* (ready, decision, place) {
  const approval = yield* Approval
  const { emit } = place
  const { call, prepared, tool } = ready
  const { expansion } = place
  const plain = (yield* prepared.confirmation) ?? genericQuestion(ready)
  const confirmation = expansion === undefined || plain === null ? plain : openingQuestion(plain, expansion, false)
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
    standing: place.isByHook ? [] : yield* withOpening(yield* offersFor(ready, decision), expansion),
    ...(draft === undefined ? {} : { draft })
  })
  const opens = expansion === undefined ? {} : { opens: expansion.grant }
  const agreed = { wasAsked: true, isReading: decision.isReading === true, ...opens }
  switch (answer._tag) {
    case "No":
      return { _tag: "Refused", reason: answer.reason }
    case "Once":
      return { _tag: "Run", decision: "accept", ...agreed }
    case "Always": {
      const kept = yield* expansion?.standing?.keep(answer.keep === "session" ? "session" : "user") ?? Effect.void
      const notices = [yield* remember(ready, answer), kept].filter((notice) => notice !== undefined)
      if (notices.length > 0) yield* emit({ _tag: "Notice", severity: "info", message: notices.join("; ") })
      return { _tag: "Run", decision: "auto_accept", ...agreed }
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
  return confirmation.type === "exec" || confirmation.type === "sandbox_expansion"
    ? { text: confirmation.command, fileName: "command.sh" }
    : undefined
}

/** One answer for good to both questions, where both can have one. */
const withOpening = Effect.fnUntraced(function* (
  offers: ReadonlyArray<StandingOffer>,
  expansion: CallExpansion | undefined
) {
  if (expansion === undefined) return offers
  const { standing } = expansion
  const entry = standing === undefined ? "" : yield* standing.entry
  return offers.flatMap((offer): ReadonlyArray<StandingOffer> => {
    if (standing === undefined || offer.covers !== "call" || offer.savedAs === undefined) return []
    return [
      {
        ...offer,
        what: `${offer.what}; ${standing.what}`,
        savedAs: `${offer.savedAs}\n${entry}`,
        savedIn: "auto-saved.toml and sandbox.toml"
      }
    ]
  })
})

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
