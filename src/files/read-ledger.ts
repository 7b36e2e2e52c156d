/**
 * Remembers what the model has seen of each file, so that an edit made against an old picture is refused.
 *
 * Content decides, not the time stamp: a file that was touched or checked out again unchanged is still the one the model
 * read. Keys are real paths.
 */
import { Context, Effect, Layer } from "effect"

/** `unread`: the model never saw it in this session. */
export type Freshness = "unread" | "unchanged" | "changed"

export class ReadLedger extends Context.Tag("agent/files/ReadLedger")<
  ReadLedger,
  {
    /** The model has seen this content, or wrote it. */
    readonly remember: (realPath: string, content: Uint8Array) => Effect.Effect<void>
    /** Compares what is on disk now with what the model saw last. */
    readonly check: (realPath: string, content: Uint8Array) => Effect.Effect<Freshness>
    readonly forget: (realPath: string) => Effect.Effect<void>
  }
>() {}

export const layer = Layer.sync(ReadLedger, () => {
  const seen = new Map<string, string>()
  return ReadLedger.of({
    remember: (realPath, content) => Effect.sync(() => void seen.set(realPath, digest(content))),
    check: (realPath, content) =>
      Effect.sync(() => {
        const known = seen.get(realPath)
        if (known === undefined) return "unread"
        return known === digest(content) ? "unchanged" : "changed"
      }),
    forget: (realPath) => Effect.sync(() => void seen.delete(realPath))
  })
})

const digest = (content: Uint8Array): string => new Bun.CryptoHasher("sha256").update(content).digest("base64")
