/** What goes wrong on the net, by kind. */
import { Data } from "effect"

/** Why there is no answer, or not all of it. */
export class HttpError extends Data.TaggedError("HttpError")<{
  readonly kind: "network" | "unreachable" | "timeout" | "too-large" | "redirect"
  readonly url: string
  /** Completes "the address ...: ". */
  readonly detail: string
  /** What the runtime threw. */
  readonly cause?: unknown
}> {
  override get message() {
    return this.detail
  }

  /** As other programs call it. */
  get code(): string | undefined {
    return this.kind === "timeout"
      ? "UND_ERR_HEADERS_TIMEOUT"
      : this.kind === "unreachable"
        ? "UND_ERR_CONNECT_TIMEOUT"
        : undefined
  }
}

/** An address for people: what stands behind its path may be secret, and so may the name before its host. */
export const placeOf = ({ host, pathname, protocol }: URL): string => `${protocol}//${host}${pathname}`
