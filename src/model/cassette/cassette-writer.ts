/** Adds calls to a cassette, each by one write when it has ended: a run that dies keeps what came before. */
import { Effect, Either, Predicate } from "effect"
import type { ModelError } from "../../retry/model-error.ts"
import { append } from "../../system/append-file.ts"
import type { CassetteError } from "../cassette.ts"
import { type Cassette, openForRecording } from "./cassette-file.ts"
import type { CassetteHead, RecordedError } from "./cassette-line.ts"
import { canonicalHead, type NormalRequest } from "./normal-request.ts"

export interface CassetteCall {
  readonly request: NormalRequest
  readonly sha256: string
  /** As JSON. */
  readonly response: ReadonlyArray<string>
  readonly gaps: ReadonlyArray<number>
  readonly replacedBy: string | undefined
  readonly error: ModelError | undefined
}

export class CassetteWriter {
  readonly #file: string
  readonly #recording: number
  /** By what stands before the messages: the last conversation that began so. */
  readonly #last = new Map<string, Pick<CassetteCall, "request" | "sha256">>()

  constructor({ file, recordings }: Cassette) {
    this.#file = file
    this.#recording = 1 + recordings.reduce((highest, { recording }) => Math.max(highest, recording), 0)
    for (const recording of recordings) this.#last.set(canonicalHead(recording.request.head), recording)
  }

  static open(
    file: string,
    begun: Pick<CassetteHead, "auth" | "access">
  ): Either.Either<CassetteWriter, CassetteError> {
    return Either.map(openForRecording(file, begun), (cassette) => new CassetteWriter(cassette))
  }

  /** The answer is what the person waits for: a recording that fails must not take it away, and is told. */
  add(call: CassetteCall, clean: (json: string) => string): Effect.Effect<void, string> {
    return Effect.suspend(() => {
      const { error, gaps, replacedBy, response, sha256 } = call
      const fields = [
        `"recording":${this.#recording}`,
        `"request":${this.#requestText(call)}`,
        `"sha256":"${sha256}"`,
        `"response":[${response.map(clean).join(",")}]`,
        `"gaps":${JSON.stringify(gaps)}`,
        ...(replacedBy === undefined ? [] : [`"replaced_by":${JSON.stringify(replacedBy)}`]),
        ...(error === undefined ? [] : [`"error":${clean(JSON.stringify(recordedError(error)))}`])
      ]
      return append(this.#file, `{${fields.join(",")}}\n`)
    })
  }

  #requestText({ request, sha256 }: CassetteCall): string {
    const key = canonicalHead(request.head)
    const base = this.#last.get(key)
    this.#last.set(key, { request, sha256 })
    if (base === undefined) {
      return `{${key.slice(1, -1)},"contents":[${request.contents.join(",")}]}`
    }
    const shared = commonLength(base.request.contents, request.contents)
    const rest = request.contents.slice(shared).join(",")
    return `{"extends":{"sha256":"${base.sha256}","contents":${shared}},"contents":[${rest}]}`
  }
}

export const commonLength = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index
  return end
}

const recordedError = (error: ModelError): RecordedError => ({
  kind: error.kind,
  detail: error.detail,
  phase: error.phase,
  errorType: error.errorType,
  ...defined({ status: error.status, statusName: error.statusName, reason: error.reason })
})

const defined = <A extends Readonly<Record<string, unknown>>>(fields: A): { [K in keyof A]?: NonNullable<A[K]> } =>
  // Only what is there is left, which is what the type says.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Predicate.isNotNullable(value))) as never
