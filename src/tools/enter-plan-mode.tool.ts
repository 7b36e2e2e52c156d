/** `enter_plan_mode`: from here on the model reads and plans, and changes nothing but plan files. */
import { mkdirSync } from "node:fs"
import { Effect, Schema } from "effect"
import { fromSystem } from "../files/file-error.ts"
import { PlanMode } from "../policy/plan-mode.ts"
import { writeFailure } from "./file-failure.ts"
import { defineTool } from "./tool.ts"

const Params = Schema.Struct({
  reason: Schema.optionalWith(
    Schema.String.annotations({ description: "Why planning first is worth it, in one sentence for the user." }),
    { exact: true }
  )
})

export const enterPlanMode = defineTool({
  name: "enter_plan_mode",
  classNames: ["EnterPlanModeTool"],
  displayName: "Enter Plan Mode",
  kind: "plan",
  description:
    "Switches to plan mode: you may read, search and ask, and write plans, but change nothing else. Use it before large " +
    "or risky changes, when the user should agree on the way first.",
  params: Params,
  prepare: Effect.fnUntraced(function* ({ reason }: typeof Params.Type) {
    const planMode = yield* PlanMode
    return {
      description: reason === undefined ? "Entering plan mode" : `Entering plan mode: ${reason}`,
      locations: [],
      confirmation: Effect.succeed({
        type: "info" as const,
        title: "Enter plan mode",
        prompt: reason ?? "In plan mode nothing but plan files is changed.",
        urls: []
      }),
      run: Effect.fnUntraced(function* () {
        yield* Effect.try({
          try: () => mkdirSync(planMode.plansDir, { recursive: true, mode: 0o700 }),
          catch: (cause) => writeFailure(fromSystem("write", planMode.plansDir, cause))
        })
        yield* planMode.setMode("plan")
        return {
          forModel: `Plan mode is on. Explore and ask, write the plan as a Markdown file in ${planMode.plansDir}, then call exit_plan_mode with its name.`,
          display: { type: "text" as const, text: "Plan mode is on." }
        }
      })
    }
  })
})
