/** Which answers an editor offers, in which order, and what each of them means. */
import { expect, test } from "bun:test"
import type { ApprovalQuestion, StandingOffer } from "../approval/approval.ts"
import type { Confirmation } from "../protocol/confirmation.ts"
import { CallId } from "../protocol/ids.ts"
import { offersFor } from "./permission.ts"

const exec: Confirmation = { type: "exec", title: "Run", command: "make", rootCommands: ["make"] }
const mcp: Confirmation = {
  type: "mcp",
  title: "t",
  serverName: "s",
  toolName: "t",
  toolDisplayName: "t",
  toolArgs: {}
}
const call: StandingOffer = { covers: "call", what: "make", savedAs: "[[rule]]" }
const server: StandingOffer = { covers: "server", what: "all of s", savedAs: "[[rule]]" }

const question = (confirmation: Confirmation, standing: ReadonlyArray<StandingOffer>): ApprovalQuestion => ({
  callId: CallId.make("x__1"),
  toolName: "x",
  confirmation,
  arguments: [],
  why: "",
  standing
})

const all = { offersSession: true, offersSaving: true, savesTo: "user", cwd: "/work" } as const
const once = ["proceed_once", "cancel"]

test.each<[string, ApprovalQuestion, Partial<typeof all> | Record<string, boolean>, ReadonlyArray<string>]>([
  ["a command", question(exec, [call]), {}, ["proceed_always", "proceed_always_and_save", ...once]],
  ["without saving", question(exec, [call]), { offersSaving: false }, ["proceed_always", ...once]],
  ["without always", question(exec, [call]), { offersSession: false }, once],
  ["nothing to stand", question(exec, []), {}, once],
  [
    "a server",
    question(mcp, [call, server]),
    {},
    ["proceed_always_server", "proceed_always_tool", "proceed_always_and_save", ...once]
  ]
])("%s", (_, asked, options, expected) => {
  const offers = offersFor(asked, { ...all, ...options })
  expect(offers.map(({ option }) => option.optionId)).toEqual([...expected])
  for (const { answer, option } of offers) {
    expect(answer._tag).toBe(option.kind === "allow_always" ? "Always" : option.kind === "allow_once" ? "Once" : "No")
  }
})
