/**
 * What a person agrees to when they confirm a hook of a project: when it runs, the command, its variables and time,
 * whether it may fail, and the content of the project's files that it runs.
 */
import { fingerprintOf } from "../config/programs/project-program.ts"
import type { Hook } from "./hook.ts"

export const hookFingerprint = (hook: Hook, project: string): string => {
  const env = Object.entries(hook.env).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const says = [hook.event, hook.matcher ?? "", hook.command, env, hook.timeoutMs, hook.failsClosed]
  return fingerprintOf({ kind: "hook", says, commands: [hook.command] }, project)
}
