/** The file of a shared budget. Reading and writing are one step under its lock, whoever else does the same. */
import { Clock, Effect, Either, ParseResult, Schema } from "effect"
import { changeOwnFile } from "../../config/own-file.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import type { StorageError } from "../../system/storage-error.ts"
import { BudgetState } from "./budget-state.ts"

/** What `GEMINI_BUDGET` names is no budget, or is not there. */
export class BudgetFileError extends Schema.TaggedError<BudgetFileError>()("BudgetFileError", {
  file: Schema.String,
  detail: Schema.String,
  advice: Schema.String
}) {
  override get message() {
    return `the budget ${this.file} ${this.detail}`
  }
}

/** A list of requests of the last minute is the largest thing in it. */
const MAX_BYTES = 16 * 1024 * 1024

const Json = Schema.parseJson(BudgetState)

export const readBudget = (file: string): Either.Either<BudgetState, BudgetFileError> => {
  const found = readRegularFile(file, MAX_BYTES)
  if (found.kind === "missing") {
    return Either.left(
      new BudgetFileError({ file, detail: "does not exist", advice: `Make it: gemini budget init ${file} --usd 5` })
    )
  }
  if (found.kind === "refused") {
    return Either.left(new BudgetFileError({ file, detail: found.reason, advice: "Name another file." }))
  }
  return Either.mapLeft(Schema.decodeUnknownEither(Json)(found.text), (error) => {
    const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
    const place = first === undefined || first.path.length === 0 ? "" : `${first.path.map(String).join(".")}: `
    return new BudgetFileError({
      file,
      detail: `cannot be used: ${place}${(first?.message ?? "no budget").replace(/\s+/g, " ").slice(0, 200)}`,
      advice: `Correct it, or begin anew: gemini budget init ${file} --force`
    })
  })
}

export const writeBudget = (file: string, state: BudgetState) => changeOwnFile(file, () => encode(state))

/** What the change says besides is given back; where it gives no state, the file stays as it is. */
export const changeBudget = <A>(
  file: string,
  change: (state: BudgetState, now: number) => readonly [result: A, next: BudgetState | undefined]
): Effect.Effect<A, BudgetFileError | StorageError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let result: Either.Either<A, BudgetFileError> | undefined
    yield* changeOwnFile(file, () => {
      const found = readBudget(file)
      if (Either.isLeft(found)) {
        result = Either.left(found.left)
        return undefined
      }
      const [value, next] = change(found.right, now)
      result = Either.right(value)
      return next === undefined ? undefined : encode(next)
    })
    return yield* result ?? Effect.dieMessage("the budget was not looked at")
  })

const encode = (state: BudgetState): string => `${JSON.stringify(Schema.encodeSync(BudgetState)(state), null, 2)}\n`
