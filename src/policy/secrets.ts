/** Keeps credentials out of saved rules: an approved command may carry one in its words. */
import type { PolicyRule } from "./rule.ts"

const SECRET =
  /(?:token|secret|passw(?:or)?d|api[_-]?key|auth|credential)[^\s=:]*\s*[=:]|:\/\/[^/\s:@]+:[^/\s@]+@|\b(?:gh[opusr]_|github_pat_)\w{20}|\bAIza[\w-]{30}|\bAKIA[A-Z0-9]{12}|\beyJ[\w-]{10,}\.|\b(?:sk|rk)[_-](?:live|test|proj)?[\w-]{16}|\bxox[abpr]-|-----BEGIN/i

export const holdsSecret = (rule: PolicyRule): boolean =>
  SECRET.test([...(rule.commandPrefix ?? []), rule.argsPattern?.source ?? ""].join(" "))
