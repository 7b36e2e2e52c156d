/** `/sandbox`: what stands around the run or its commands, each promise of it tried. */
import { Effect } from "effect"
import { Environment } from "../../config/environment.ts"
import { lazy } from "../../kernel/lazy.ts"
import { Sandbox } from "../../sandbox/sandbox.ts"
import { print, slash } from "../command.ts"

export const sandbox = slash({
  name: "sandbox",
  description: "What stands around commands, and whether it holds",
  isConcurrent: true,
  run: Effect.fnUntraced(function* () {
    const service = yield* Sandbox
    const { cwd, platform } = yield* Environment
    const report = yield* service.report
    if (report === undefined) {
      const confinesUnasked = yield* service.confines("read")
      return print(
        [
          "No sandbox stands around commands that you agree to.",
          confinesUnasked
            ? "Commands that run without a question can only read, inside the workspace, and have no network."
            : `Commands that run without a question are not confined either${platform === "linux" ? "" : " on this system"}.`,
          "gemini --sandbox starts with one; the setting tools.sandbox keeps it."
        ].join("\n"),
        { sandbox: null, confinesUnasked }
      )
    }
    const { checkSandbox, checkText, reportLines } = yield* lazy(() => import("../../sandbox/self-check.ts"))
    // In here nothing is outside that could be tried.
    if (report.isWhole === true) return print(reportLines(report).join("\n"), { sandbox: report })
    const result = yield* Effect.scoped(checkSandbox(service, { cwd }))
    return print(checkText(result).trimEnd(), result)
  })
})
