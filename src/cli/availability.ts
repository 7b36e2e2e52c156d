/** Features that are known but do not work yet say so; nothing is accepted and then ignored. */
import { Either } from "effect"
import { type Availability, propertyOf } from "./option-row.ts"
import { rootOptions } from "./option-table.ts"
import type { ParsedArgv } from "./parse-argv.ts"
import { type UsageError, usageError } from "./usage-error.ts"

/** A flag that was switched off asks for nothing, so it is fine. */
export const checkAvailable = (parsed: ParsedArgv): Either.Either<void, UsageError> => {
  for (const { long, since } of rootOptions) {
    const value = parsed.options[propertyOf(long)]
    if (value !== undefined && value !== false && !isAvailable(since))
      return Either.left(unavailable(`--${long}`, since))
  }
  return Either.void
}

export const isAvailable = (since: Availability): boolean => since !== "later" && since !== "never"

export const unavailable = (what: string, since: Availability): UsageError =>
  since === "never"
    ? usageError(`${what} is not supported`)
    : usageError(`${what} is not available in this version`, "See gemini --help for what is.")
