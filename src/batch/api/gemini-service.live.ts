/** The Batch API of Gemini, with its Files: small jobs carry their requests, larger ones name an upload. */
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Predicate, Redacted } from "effect"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import { parseJson } from "../../model/decode-chunk.ts"
import { endpointFor } from "../../model/gemini/endpoint.ts"
import type { ClientOptions } from "../../model/load-client.ts"
import { badResponse } from "../../retry/classify.ts"
import { linesOf } from "../input/line-reader.ts"
import { type BatchService, displayNameIn, type JobResult, jobIn, type RemoteJob, resultIn } from "./batch-service.ts"
import { cacheCalls, makeCalls, writeBody } from "./service-calls.live.ts"

type KeyPlan = Extract<AuthPlan, { readonly _tag: "ApiKey" | "Gateway" }>

/** Beyond that the answers, which come back in one piece as well, would take too much memory. */
const INLINE = { bytes: 19_000_000, items: 5000 }

export const make = (plan: KeyPlan, model: string, options: ClientOptions): BatchService => {
  const endpoint = endpointFor(plan, options.variables.GOOGLE_GENAI_API_VERSION)
  const key = Redacted.value(plan.key)
  const calls = makeCalls({
    model,
    options,
    url: (given) => given,
    headers: Effect.succeed([
      ["x-goog-api-key", key],
      ...(plan.mechanism === "bearer" ? [["authorization", `Bearer ${key}`] as const] : [])
    ]),
    sdk: {
      apiKey: key,
      vertexai: false,
      httpOptions: { baseUrl: endpoint.baseUrl, apiVersion: endpoint.apiVersion }
    }
  })
  const { call } = calls
  const job = (answer: unknown) => {
    const found = jobIn(answer)
    return found === undefined ? badResponse(JSON.stringify(answer), { model, phase: "open" }) : Effect.succeed(found)
  }

  return {
    inline: INLINE,
    requestLine: ({ body, key: own }) => `{"key":${JSON.stringify(own)},"request":${body}}\n`,
    create: ({ input, name }) =>
      Effect.flatMap(
        call((sdk) =>
          sdk.batches.create({
            model,
            src: input._tag === "File" ? input.file : input.lines.map(inlined),
            config: { displayName: name }
          })
        ),
        job
      ),
    upload: (path, name) =>
      Effect.flatMap(
        call((sdk) =>
          sdk.files.upload({ file: Bun.file(path), config: { mimeType: "application/jsonl", displayName: name } })
        ),
        (answer) => {
          const file = Predicate.hasProperty(answer, "file") ? answer.file : answer
          return Predicate.hasProperty(file, "name") && typeof file.name === "string"
            ? Effect.succeed(file.name)
            : badResponse(JSON.stringify(answer), { model, phase: "open" })
        }
      ),
    get: (id) =>
      Effect.flatMap(
        call((sdk) => sdk.batches.get({ name: id })),
        job
      ),
    find: (name) =>
      Effect.gen(function* () {
        let pageToken: string | undefined
        do {
          const config = { pageSize: PAGE, ...(pageToken === undefined ? {} : { pageToken }) }
          const answer = yield* call((sdk) => sdk.batches.list({ config }))
          const listed = listIn(answer, "operations") ?? listIn(answer, "batches") ?? []
          const found = listed.find((one) => displayNameIn(one) === name)
          if (found !== undefined) return jobIn(found)
          pageToken = textIn(answer, "nextPageToken")
        } while (pageToken !== undefined)
        return undefined as RemoteJob | undefined
      }),
    cancel: (id) => Effect.asVoid(call((sdk) => sdk.batches.cancel({ name: id }))),
    forget: (file) => Effect.asVoid(call((sdk) => sdk.files.delete({ name: file }))),
    results: (output) =>
      output._tag === "Inline"
        ? Effect.succeed(output.results)
        : Effect.gen(function* () {
            const path = yield* temporaryFile
            yield* writeBody(yield* calls.ask(endpoint.url(`${output.name}:download?alt=media`)), path, model)
            return resultsIn(path)
          }),
    cache: cacheCalls(calls, model)
  }
}

const PAGE = 100

/** Gone with the scope. */
export const temporaryFile = Effect.acquireRelease(
  Effect.sync(() => join(tmpdir(), `gemini-batch-${crypto.randomUUID()}`)),
  (path) => Effect.sync(() => rmSync(path, { force: true }))
)

/** Lines that are none are answers to nobody. */
export function* resultsIn(path: string): Generator<JobResult, void> {
  for (const { fault, text } of linesOf(path)) {
    if (fault === undefined && text.trim() === "") continue
    yield fault === undefined ? resultIn(parseJson(text)) : { key: undefined }
  }
}

export const listIn = (answer: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  const value = Predicate.hasProperty(answer, name) ? answer[name] : undefined
  return Array.isArray(value) ? value : undefined
}

export const textIn = (answer: unknown, name: string): string | undefined => {
  const value = Predicate.hasProperty(answer, name) ? answer[name] : undefined
  return typeof value === "string" && value !== "" ? value : undefined
}

/** From a line of a file to what the SDK takes: its options stand side by side, and it sorts them itself. */
const inlined = (line: string) => {
  const { key, request } = JSON.parse(line) as {
    readonly key: string
    readonly request: { readonly contents: Array<object>; readonly generationConfig?: object }
  }
  const { contents, generationConfig, ...own } = request
  return { contents, config: { ...generationConfig, ...own }, metadata: { key } }
}
