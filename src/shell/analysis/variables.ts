/**
 * Which variables may be set in front of a command without changing what it runs. Anything not known to be harmless
 * counts as able to: `PATH`, `LD_PRELOAD`, `GIT_SSH_COMMAND`, `CC`, `NODE_OPTIONS` and many more make a permitted
 * program run another one.
 */
import { isHarmlessVariable } from "../../system/guiding-variables.ts"

/** Lower-case names that programs read all the same. */
const READ_BY_PROGRAMS = /^(?:npm_|http|https|ftp|all|no)(?:_|config|proxy)/

export const assignedName = (assignment: string): string => /^[A-Za-z_][A-Za-z0-9_]*/.exec(assignment)?.[0] ?? ""

/** In front of a command, where the variable is handed to it. */
export const isHarmlessForCommand = (assignment: string): boolean => isHarmlessVariable(assignedName(assignment))

/** As a statement of its own, where it stays a variable of this shell unless the name was exported before. */
export const isHarmlessAlone = (assignment: string): boolean => {
  const name = assignedName(assignment)
  return (
    isHarmlessForCommand(assignment) ||
    (/^[a-z_][a-z0-9_]*$/.test(name) && !READ_BY_PROGRAMS.test(name) && name !== "_")
  )
}

export const isAssignment = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/.test(text)
