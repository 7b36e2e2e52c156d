/** Compiles a regular expression from a rule file, or says why it is refused. */

const MAX_LENGTH = 2048

export type CompiledRegex =
  | { readonly _tag: "Compiled"; readonly regex: RegExp }
  | { readonly _tag: "Refused"; readonly reason: string }

/** `isAnchored`: the match must begin where the text begins. */
export const compileRegex = (source: string, options: { readonly isAnchored: boolean }): CompiledRegex => {
  if (source.length > MAX_LENGTH) return { _tag: "Refused", reason: `it is longer than ${MAX_LENGTH} characters` }
  if (hasNestedQuantifier(source)) {
    return { _tag: "Refused", reason: "a repeated group contains a repetition, which can take for ever" }
  }
  try {
    // Compiled alone first: `a)|(b` must not become valid by the group around it.
    const plain = new RegExp(source)
    return { _tag: "Compiled", regex: options.isAnchored ? new RegExp(`^(?:${source})`) : plain }
  } catch (cause) {
    return { _tag: "Refused", reason: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** `(a+)+`: each group remembers whether a quantifier stood in it; a quantifier right after such a group is refused. */
const hasNestedQuantifier = (source: string): boolean => {
  const groups: Array<boolean> = []
  let isInClass = false
  let closedRepeating = false
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? ""
    const wasClosedRepeating: boolean = closedRepeating
    closedRepeating = false
    if (char === "\\") at++
    else if (isInClass) isInClass = char !== "]"
    else if (char === "[") isInClass = true
    else if (char === "(") {
      groups.push(false)
      if (source[at + 1] === "?") at++
    } else if (char === ")") {
      closedRepeating = groups.pop() === true
      if (closedRepeating && groups.length > 0) groups[groups.length - 1] = true
    } else if (char === "*" || char === "+" || /^\{\d*,/.test(source.slice(at, at + 12))) {
      if (wasClosedRepeating) return true
      if (groups.length > 0) groups[groups.length - 1] = true
    }
  }
  return false
}
