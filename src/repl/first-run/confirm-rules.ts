/** Permissions in the policy files of a project wait for the person's agreement, in their present form. */
import { Effect } from "effect"
import { Policy } from "../../policy/policy.ts"
import type { PendingWorkspace } from "../../policy/policy-files.ts"
import { ruleText } from "../../policy/rule.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"
import { askRules } from "./rules-question.ts"

export const confirmRules = Effect.fnUntraced(function* ({ rules }: PendingWorkspace) {
  const policy = yield* Policy
  const screen = yield* Screen
  if (!(yield* askRules(rules.map((rule) => `${ruleText(rule)} (${rule.source})`)))) return
  yield* Effect.catchAll(policy.acceptWorkspace, ({ message }) =>
    printWords(screen, `The answer counts for this session only: ${message}`)
  )
})
