/** Why a call was refused, in one line: which part of it, for what reason, by which rule. */
import type { CommandVerdict, Decision, RuleFacts } from "./decision.ts"

/** A rule that brings its own words is quoted and nothing else. */
export const denialText = (decision: Decision): string => {
  if (decision.denyMessage !== undefined) return decision.denyMessage
  const culprit = culpritOf(decision)
  const part = culprit === undefined ? "" : `${commandText(culprit)}: `
  const rule = decision.rule === undefined ? "" : ` (${ruleName(decision.rule)})`
  return `${part}${decision.reason}${rule}`
}

/** The first command to which the reason belongs; a reason may also belong to the line as a whole. */
const culpritOf = ({ commands, reason }: Decision): CommandVerdict | undefined =>
  commands.find((command) => command.verdict !== "allow" && command.name !== "" && reason.startsWith(command.reason))

const commandText = ({ command, via }: CommandVerdict): string =>
  `\`${oneLine(command)}\`${via.length === 0 ? "" : ` (in ${via.join(" > ")})`}`

const ruleName = ({ source, text }: RuleFacts): string => withoutControls(`${text} [${source}]`)

/** They would act on the terminal. */
export const withoutControls = (text: string): string => text.replace(/\p{Cc}+/gu, " ")

export const oneLine = (text: string): string => {
  const flat = withoutControls(text)
  return flat.length > 120 ? `${flat.slice(0, 119)}…` : flat
}
