/** `/plan`: plan first, change later. Also shows and copies the plan that was agreed on. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { Settings } from "../../config/settings.ts"
import { PlanMode } from "../../policy/plan-mode.ts"
import { Policy } from "../../policy/policy.ts"
import { type CommandResult, print, printMarkdown, slash } from "../command.ts"
import { CommandError, failed } from "../command-error.ts"
import { copied } from "./copy.command.ts"

type Services = Settings | Policy | PlanMode

export const plan = slash<Services>({
  name: "plan",
  description: "Switch to plan mode; with a text, plan that",
  usage: "[prompt]",
  run: Effect.fnUntraced(function* ({ args }) {
    const settings = yield* Settings
    const policy = yield* Policy
    if (!settings.get("general.plan.enabled")) {
      return yield* new CommandError({ kind: "failed", detail: "Plan mode is switched off (general.plan.enabled)." })
    }
    yield* policy.setMode("plan").pipe(Effect.mapError(failed))
    if (args !== "") return { _tag: "SubmitTyped", text: args } satisfies CommandResult as CommandResult
    const text = yield* approvedText
    return text === undefined
      ? print("Plan mode is on: nothing is changed but plans. Shift-Tab leaves it.")
      : printMarkdown(text)
  }),
  subcommands: [
    slash<Services>({
      name: "copy",
      description: "Copy the approved plan to the clipboard",
      run: Effect.fnUntraced(function* () {
        const text = yield* approvedText
        return text === undefined ? print("No plan has been approved yet.") : copied(text)
      })
    })
  ]
})

const approvedText = Effect.gen(function* () {
  const planMode = yield* PlanMode
  const file = yield* planMode.approvedPlan
  if (file === null) return undefined
  return yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => new CommandError({ kind: "failed", detail: `The plan ${file} cannot be read any more.` })
  })
})
