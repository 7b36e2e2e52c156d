/**
 * What a project wants to be allowed: its prohibitions count at once, its permissions when the person agrees, in their
 * present form.
 */
import { Effect, Option } from "effect"
import { visibleLine } from "../../kernel/visible-text.ts"
import { Policy } from "../../policy/policy.ts"
import type { PendingWorkspace } from "../../policy/policy-files.ts"
import { ruleText } from "../../policy/rule.ts"
import { ask } from "../ask.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"

export const confirmRules = Effect.fnUntraced(function* ({ rules }: PendingWorkspace) {
  const policy = yield* Policy
  const screen = yield* Screen
  if (!(yield* askRules(rules.map((rule) => `${ruleText(rule)} (${rule.source})`)))) return
  yield* Effect.catchAll(policy.acceptWorkspace, ({ message }) =>
    printWords(screen, `The answer counts for this session only: ${message}`)
  )
})

const askRules = Effect.fnUntraced(function* (rules: ReadonlyArray<string>) {
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
