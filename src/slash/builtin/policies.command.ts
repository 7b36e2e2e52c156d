/** `/policies`: the rules that decide what may run, for each approval mode. */
import { Effect } from "effect"
import { rulesJson, rulesText } from "../../policy/explain.ts"
import { Policy } from "../../policy/policy.ts"
import type { PolicyRule } from "../../policy/rule.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import { print, slash } from "../command.ts"

const list = Effect.fnUntraced(function* () {
  const policy = yield* Policy
  const rules = yield* policy.rules
  const current = yield* policy.mode
  const groups = GROUPS.map(({ mode, title }) => ({
    mode,
    title,
    rules: rules.filter((rule) => isOnlyFor(rule, mode))
  }))
  const shown = groups.filter((group) => group.rules.length > 0)
  return print(
    [
      `Approval mode: ${current}. The first rule that matches decides.`,
      ...shown.map(({ rules, title }) => `\n${title}\n${rulesText(rules).trimEnd()}`)
    ].join("\n"),
    { mode: current, rules: rulesJson(rules) }
  )
})

const GROUPS: ReadonlyArray<{ readonly mode: ApprovalMode | undefined; readonly title: string }> = [
  { mode: undefined, title: "In every mode" },
  { mode: "default", title: "In default mode" },
  { mode: "auto_edit", title: "In auto_edit mode" },
  { mode: "yolo", title: "In yolo mode" },
  { mode: "plan", title: "In plan mode" }
]

const isOnlyFor = ({ modes }: PolicyRule, mode: ApprovalMode | undefined): boolean =>
  mode === undefined ? modes === undefined : modes?.includes(mode) === true

export const policies = slash({
  name: "policies",
  description: "Rules that decide what may run",
  run: list,
  subcommands: [slash({ name: "list", description: "The active rules, by approval mode", run: list })]
})
