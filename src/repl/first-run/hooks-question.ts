/** Hooks of a project that are new, or not what they were when the person agreed to them: nothing of them runs unasked. */
import { Effect, Option } from "effect"
import { type Hook, placeOf, shownName } from "../../hooks/hook.ts"
import { visibleLine } from "../../kernel/visible-text.ts"
import { ask } from "../ask.ts"

export const askHooks = Effect.fnUntraced(function* (pending: ReadonlyArray<Hook>, isChange: boolean) {
  const answer = yield* ask({
    text: hooksText(pending, isChange),
    choices: [
      { value: "RUN", label: "Let them run", hint: "you are asked again when one of them changes" },
      { value: "LEAVE_OUT", label: "Go on without them" }
    ]
  })
  return Option.contains(answer, "RUN")
})

export const hooksText = (pending: ReadonlyArray<Hook>, isChange: boolean): string =>
  [
    isChange
      ? "Hooks of this project have changed since you confirmed them:"
      : "This project brings along hooks, programs that gemini would run:",
    ...pending.map((hook) => visibleLine(`  ${hook.event}: ${describe(hook)} (${placeOf(hook.source)})`)),
    "Hooks run outside the sandbox, with all your rights. Let them run only if you know what they do."
  ].join("\n")

const describe = (hook: Hook): string =>
  hook.name === undefined ? hook.command : `${shownName(hook)}, which runs ${hook.command}`
