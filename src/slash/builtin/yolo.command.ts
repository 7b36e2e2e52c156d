/** `/yolo`: everything is approved, until it is said again. */
import { Effect } from "effect"
import { Policy } from "../../policy/policy.ts"
import { print, slash } from "../command.ts"
import { failed } from "../command-error.ts"

export const yolo = slash<Policy>({
  name: "yolo",
  description: "Approve everything without asking; again: back to asking",
  run: Effect.fnUntraced(function* () {
    const policy = yield* Policy
    const isOn = (yield* policy.mode) !== "yolo"
    yield* policy.setMode(isOn ? "yolo" : "default").pipe(Effect.mapError(failed))
    return print(isOn ? "Everything is approved now. /yolo goes back to asking." : "You are asked again.")
  })
})
