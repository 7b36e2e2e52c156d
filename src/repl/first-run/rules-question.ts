/** What a project wants to be allowed: its prohibitions count at once, its permissions when the person agrees. */
import { Effect, Option } from "effect"
import { visibleLine } from "../../kernel/visible-text.ts"
import { ask } from "../ask.ts"

export const askRules = Effect.fnUntraced(function* (rules: ReadonlyArray<string>) {
  const answer = yield* ask({
    text: [
      "Policy files of this project would allow without a question:",
      ...rules.map((rule) => visibleLine(`  ${rule}`)),
      "Your own rules go before them."
    ].join("\n"),
    choices: [
      { value: "ALLOW", label: "Let these rules count", hint: "you are asked again when the files change" },
      { value: "LEAVE_OUT", label: "Go on without them" }
    ]
  })
  return Option.contains(answer, "ALLOW")
})
