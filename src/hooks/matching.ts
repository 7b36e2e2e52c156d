/** Whether a hook is meant by what happens. Pure. */
import { HOOK_SCOPES, type Hook, identityOf, nameOf, placeOf } from "./hook.ts"
import type { HookEvent, MatchTarget } from "./hook-event.ts"

/**
 * No matcher, an empty one and `*` mean everything. Tools: a regular expression that may match anywhere in one of the
 * tool's names; one that is no regular expression is compared as it is. Triggers: the very word.
 */
export const matches = (matcher: string | undefined, target: MatchTarget): boolean => {
  if (matcher === undefined || matcher === "" || matcher === "*") return true
  switch (target._tag) {
    case "Any":
      return true
    case "Trigger":
      return matcher === target.word
    case "Tool": {
      const pattern = patternOf(matcher)
      return target.names.some((name) => (pattern === undefined ? name === matcher : pattern.test(name)))
    }
  }
}

/** Such a matcher fits hardly any tool: a guard that never runs must not look like one that does. */
export const matcherFault = ({ event, matcher = "", source }: Hook): ReadonlyArray<string> => {
  const isOfTools = event === "BeforeTool" || event === "AfterTool"
  if (!isOfTools || matcher === "*" || patternOf(matcher) !== undefined) return []
  return [
    `${placeOf(source)}: hooks.${event}: the matcher ${JSON.stringify(matcher)} is no regular expression; it means only a tool of that very name`
  ]
}

const patternOf = (matcher: string): RegExp | undefined => {
  try {
    return new RegExp(matcher)
  } catch {
    return undefined
  }
}

/** Which hooks run for an event, in which order, and whether side by side. */
interface HookPlan {
  readonly hooks: ReadonlyArray<Hook>
  /** One of them asked for it: each waits for the one before and sees what it changed. */
  readonly isSequential: boolean
}

interface PlanRequest {
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
