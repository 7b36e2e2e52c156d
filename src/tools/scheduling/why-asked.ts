/** Why a person is asked, in one line: the policy's reason, the commands of a line it is about, and who made the rule. */
import type { Decision } from "../../policy/decision.ts"

/** More would hide the question behind its explanation. */
const MAX_COMMANDS = 3
const LONGEST_COMMAND = 40

export const whyAsked = ({ commands, reason, rule }: Decision): string => {
  const asking = commands.filter(({ verdict }) => verdict === "ask").map(({ command }) => shortened(command))
  const isPartOfLine = asking.length > 0 && commands.length > 1
  const named = [...asking.slice(0, MAX_COMMANDS), ...(asking.length > MAX_COMMANDS ? ["others"] : [])]
  // Rules that ship are behind most questions and tell nothing more.
  const source = rule === undefined || rule.tier === "default" ? "" : ` (${rule.text}, ${rule.source})`
  return `${reason}${source}${isPartOfLine ? `, about ${named.join(", ")}` : ""}`
}

const shortened = (command: string): string => {
  const flat = command.replace(/\s+/g, " ").trim()
  return flat.length > LONGEST_COMMAND ? `${flat.slice(0, LONGEST_COMMAND - 3)}...` : flat
}
