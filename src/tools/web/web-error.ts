/** Why a page could not be fetched. */
import { Data } from "effect"

export class WebError extends Data.TaggedError("WebError")<{
  readonly kind: "blocked" | "unresolved" | "rate-limited" | "network" | "timeout" | "status" | "redirect" | "too-large"
  readonly url: string
  readonly detail: string
}> {
  override get message() {
    return `${this.url}: ${this.detail}`
  }

  get isRetryable(): boolean {
    return this.kind === "network" || this.kind === "timeout"
  }
}
