/** Whether a hook is meant by what happens. Pure. */
import { type Hook, placeOf } from "./hook.ts"
import type { MatchTarget } from "./hook-event.ts"

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
