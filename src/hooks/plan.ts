/** Which hooks run for an event, in which order, and whether side by side. Pure. */
import { HOOK_SCOPES, type Hook, identityOf, nameOf } from "./hook.ts"
import type { HookEvent, MatchTarget } from "./hook-event.ts"
import { matches } from "./matching.ts"

export interface HookPlan {
  readonly hooks: ReadonlyArray<Hook>
  /** One of them asked for it: each waits for the one before and sees what it changed. */
  readonly isSequential: boolean
}

export interface PlanRequest {
  readonly event: HookEvent
  readonly target: MatchTarget
  /** Names or commands that are switched off. */
  readonly disabled: ReadonlySet<string>
  /** Only those that want pieces of an answer, or only the others; absent: all. */
  readonly streams?: boolean
}

export const planHooks = (all: ReadonlyArray<Hook>, { disabled, event, streams, target }: PlanRequest): HookPlan => {
  const wanted = all.filter(
    (hook) =>
      hook.event === event &&
      !disabled.has(nameOf(hook)) &&
      (streams === undefined || hook.streams === streams) &&
      matches(hook.matcher, target)
  )
  const hooks = withoutTwins(inSourceOrder(wanted))
  return { hooks, isSequential: hooks.some(({ isSequential }) => isSequential) }
}

/** The project's first, then the user's, the system's, and those of extensions; as written within each. */
export const inSourceOrder = (hooks: ReadonlyArray<Hook>): ReadonlyArray<Hook> =>
  HOOK_SCOPES.flatMap((scope) => hooks.filter(({ source }) => source.scope === scope))

const withoutTwins = (hooks: ReadonlyArray<Hook>): ReadonlyArray<Hook> => {
  const seen = new Set<string>()
  return hooks.filter((hook) => {
    const key = identityOf(hook)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
