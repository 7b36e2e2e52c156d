/**
 * What all items of a batch have in common, sent once and kept by the service while the batch goes on. It lives for an
 * hour at a time: what nobody takes away after a kill goes away by itself.
 */
import { Effect, Either, Schedule, type Scope } from "effect"
import { isGemini3 } from "../../model/model-names.ts"
import type { Part } from "../../protocol/content.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { type BatchError, badInput } from "../batch-error.ts"
import type { CacheRecord } from "../journal/journal-record.ts"
import { filePart } from "../run/item-files.ts"
import type { CacheService } from "./batch-service.ts"
import type { Note } from "./job-book.ts"

export interface SharedContext {
  readonly parts: ReadonlyArray<Part>
  /** The files by name, and what is in them: another text is another batch. */
  readonly text: string
}

export const readContext = (
  files: ReadonlyArray<string>,
  cwd: string
): Effect.Effect<SharedContext | undefined, BatchError> => {
  if (files.length === 0) return Effect.succeed(undefined)
  return Either.match(Either.all(files.map((file) => filePart(file, cwd))), {
    onLeft: (why) => badInput(`--cached-context: ${why}`, "Name files in the working folder."),
    onRight: (parts) => Effect.succeed({ parts, text: `${files.join(", ")} (${digestOf(JSON.stringify(parts))})` })
  })
}

export interface CacheInput {
  readonly service: CacheService
  readonly context: SharedContext
  readonly model: string
  readonly systemInstruction: string
  /** That was made in an earlier run. */
  readonly known: CacheRecord | undefined
  readonly note: Note
  /** Whether jobs go on that name it, when this process ends. */
  readonly isNeeded: Effect.Effect<boolean>
}

const LIVES_SECONDS = 3600
const RENEWED_EVERY = "25 minutes"
/** As long as a job may take, and a little more. */
const DETACHED_SECONDS = 50 * 3600

/** Its name. Renewed until the scope closes, then taken away, unless jobs go on that need it. */
export const holdCache = (input: CacheInput): Effect.Effect<string, BatchError | ModelError, Scope.Scope> =>
  Effect.gen(function* () {
    const { isNeeded, note, service } = input
    const name = yield* foundOrMade(input)
    yield* Effect.forkScoped(
      Effect.repeat(Effect.delay(Effect.ignore(service.extend(name, LIVES_SECONDS)), RENEWED_EVERY), Schedule.forever)
    )
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(isNeeded, (needed) =>
        needed ? service.extend(name, DETACHED_SECONDS) : dropCache(service, note, { t: "cache", name, digest: "" })
      ).pipe(Effect.interruptible, Effect.timeout("10 seconds"), Effect.ignore)
    )
    return name
  })

export const dropCache = (service: CacheService, note: Note, cache: CacheRecord) =>
  Effect.zipRight(service.remove(cache.name), note({ ...cache, gone: true }))

const foundOrMade = Effect.fnUntraced(function* (input: CacheInput) {
  const { context, known, model, note, service, systemInstruction } = input
  const digest = digestOf(`${model}\n${systemInstruction}\n${context.text}`)
  if (known?.digest === digest && Either.isRight(yield* Effect.either(service.extend(known.name, LIVES_SECONDS)))) {
    return known.name
  }
  const content = { parts: context.parts, systemInstruction }
  const tokens = yield* again(service.tokensOf(content))
  const least = isGemini3(model) ? 4096 : 2048
  if (tokens < least) {
    return yield* badInput(
      `--cached-context: ${model} keeps no less than ${least} tokens, and these are ${tokens}`,
      "Put a text that short into the prompt, or name more files."
    )
  }
  const unique = `gfx-context-${digest.slice(0, 12)}-${crypto.randomUUID().slice(0, 8)}`
  const name = yield* again(service.create({ ...content, name: unique, ttlSeconds: LIVES_SECONDS }))
  yield* note({ t: "cache", name, digest })
  return name
})

/** One more that nobody uses costs its hour, and then nothing. */
const again = <A>(call: Effect.Effect<A, ModelError>) =>
  Effect.retry(call, {
    while: ({ isRetryable }) => isRetryable,
    schedule: Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(4))
  })

const digestOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)
