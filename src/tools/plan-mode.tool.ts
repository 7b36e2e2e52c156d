/** `enter_plan_mode` and `exit_plan_mode`: planning begins, and the person is shown the plan. */
import { closeSync, mkdirSync, openSync, readSync } from "node:fs"
import { Effect, Schema } from "effect"
import { isInside } from "../files/containment.ts"
import { errnoOf, fromSystem } from "../files/file-error.ts"
import { realPathOf } from "../files/real-path.ts"
import { Workspace } from "../files/workspace.ts"
import { PlanMode, planPath } from "../policy/plan-mode.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { count, log, record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { writeFailure } from "./file-failure.ts"
import { defineTool, ToolFailure } from "./tool.ts"
import { UserQuestions } from "./user-questions.ts"

const Params = Schema.Struct({
  plan_filename: Schema.NonEmptyString.annotations({
    description: "Name of the plan file in the plans directory, such as 'refactoring.md'."
  })
})

export const exitPlanMode = defineTool({
  name: "exit_plan_mode",
  classNames: ["ExitPlanModeTool"],
  displayName: "Exit Plan Mode",
  kind: "plan",
  description: "Puts the finished plan before the user. When they agree, plan mode ends and you carry the plan out.",
  params: Params,
  prepare: Effect.fnUntraced(function* ({ plan_filename }: typeof Params.Type) {
    const planMode = yield* PlanMode
    const questions = yield* UserQuestions
    const workspace = yield* Workspace
    const path = planPath(plan_filename, { plansDir: planMode.plansDir, projectRoot: workspace.targetDir })
    if (path === null || !isReallyInside(planMode.plansDir, path))
      return yield* outside(plan_filename, planMode.plansDir)

    return {
      description: `Presenting the plan ${path}`,
      locations: [{ path }],
      // The plan is put before the person when the call runs: the answer carries the mode to go on in.
      confirmation: Effect.succeed(null),
      run: Effect.fnUntraced(function* () {
        const fault = planFault(path)
        if (fault !== null) return answer(fault)
        const review = yield* questions.reviewPlan(path)
        if (review === null) return answer(yield* leaveUnasked(path))
        if (!review.approved) return answer(rejection(path, review.feedback))
        yield* planMode.approvePlan(path)
        const mode = yield* planMode.setMode(review.mode)
        yield* tellOfPlan(mode)
        return answer(
          `The user agreed to the plan. The approval mode is now ${mode}. Read ${path} again and carry it out step by step.`
        )
      })
    }
  })
})

/** Nobody agreed, so nothing is gained: what was allowed before the planning is allowed again, and no more. */
const leaveUnasked = Effect.fnUntraced(function* (path: string) {
  const planMode = yield* PlanMode
  const wanted = yield* planMode.modeAfterPlan
  if (wanted === "plan") {
    return `Nobody can be asked about the plan, and the run began in plan mode: plan mode stays on. The plan is in ${path}. End with a summary of it.`
  }
  const mode = yield* planMode.setMode(wanted)
  yield* tellOfPlan(mode)
  return `Nobody was asked about the plan, because this run has no user. Plan mode is over; the approval mode is ${mode} as before, and what it refuses stays refused. Read ${path} again and do of it what the mode allows.`
})

const tellOfPlan = Effect.fnUntraced(function* (mode: ApprovalMode) {
  yield* record(yield* Telemetry, [
    log("gemini_cli.plan.execution", "A plan is carried out.", { approval_mode: mode }),
    ...count("gemini_cli.plan.execution.count", { approval_mode: mode })
  ])
})

const answer = (text: string) => ({ forModel: text, display: { type: "text" as const, text } })

const isReallyInside = (plansDir: string, path: string): boolean => {
  try {
    return isInside(realPathOf(plansDir), realPathOf(path))
  } catch {
    return false
  }
}

const PEEK_BYTES = 1024

/** Why there is nothing to show; the beginning of the file is enough to tell. */
const planFault = (path: string): string | null => {
  try {
    const fd = openSync(path, "r")
    try {
      const start = Buffer.alloc(PEEK_BYTES)
      const length = readSync(fd, start, 0, PEEK_BYTES, 0)
      return start.subarray(0, length).toString("utf8").trim() === ""
        ? `The plan file ${path} is empty. Write the plan first.`
        : null
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    return errnoOf(cause) === "ENOENT"
      ? `There is no plan file ${path}. Write the plan first.`
      : `The plan file ${path} cannot be read (${errnoOf(cause)}).`
  }
}

const rejection = (path: string, feedback: string | undefined): string => {
  const words = feedback?.trim() ?? ""
  const reason =
    words === "" ? "without giving a reason; ask what should be different" : `with this feedback:\n${words}`
  return `The user did not agree to the plan ${reason}\nPlan mode stays on. The plan is in ${path}.`
}

const outside = (name: string, plansDir: string) =>
  new ToolFailure({
    type: "invalid_tool_params",
    message: `Access denied: ${name} is not in the plans directory ${plansDir}.`
  })

const EnterParams = Schema.Struct({
  reason: Schema.optionalWith(
    Schema.String.annotations({ description: "Why planning first is worth it, in one sentence for the user." }),
    { exact: true }
  )
})

/** `enter_plan_mode`: from here on the model reads and plans, and changes nothing but plan files. */
export const enterPlanMode = defineTool({
  name: "enter_plan_mode",
  classNames: ["EnterPlanModeTool"],
  displayName: "Enter Plan Mode",
  kind: "plan",
  description:
    "Switches to plan mode: you may read, search and ask, and write plans, but change nothing else. Use it before large " +
    "or risky changes, when the user should agree on the way first.",
  params: EnterParams,
  prepare: Effect.fnUntraced(function* ({ reason }: typeof EnterParams.Type) {
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
