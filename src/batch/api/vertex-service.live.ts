/**
 * Batch prediction of Vertex AI: requests and answers lie in Cloud Storage. It keeps no keys, so each request carries its
 * number as a label, which comes back with the answer.
 */
import { Effect } from "effect"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import { makeCredentialHeaders } from "../../auth/google-credentials.live.ts"
import { endpointFor } from "../../model/gemini/endpoint.ts"
import type { ClientOptions } from "../../model/load-client.ts"
import { badResponse } from "../../retry/classify.ts"
import { ModelError } from "../../retry/model-error.ts"
import { type BatchService, displayNameIn, INDEX_LABEL, type JobResult, jobIn } from "./batch-service.ts"
import { listIn, resultsIn, temporaryFile, textIn } from "./gemini-service.live.ts"
import { cacheCalls, makeCalls, writeBody } from "./service-calls.live.ts"

type VertexPlan = Extract<AuthPlan, { readonly _tag: "Vertex" }>

/** Put in place of the address when a request is sent: the SDK knows neither project nor credentials. */
const NO_PLACE = "https://endpoint.invalid"
const NO_KEY = "unset"
const STORAGE = "https://storage.googleapis.com"

/** `folder`: where requests and answers go, `gs://bucket/path`. */
export const make = (plan: VertexPlan, model: string, folder: string, options: ClientOptions): BatchService => {
  const endpoint = endpointFor(plan, options.variables.GOOGLE_GENAI_API_VERSION)
  const credentials = makeCredentialHeaders({ ...plan, http: options.http })
  const calls = makeCalls({
    model,
    options,
    url: (given) => (given.startsWith(NO_PLACE) ? endpoint.url(given.slice(NO_PLACE.length + 1)) : given),
    headers: Effect.mapError(
      credentials,
      ({ detail, isTimeout }) =>
        new ModelError({
          kind: isTimeout ? "timeout" : "auth",
          detail,
          model,
          phase: "open",
          errorType: isTimeout ? "ETIMEDOUT" : "CREDENTIALS"
        })
    ),
    sdk: { apiKey: NO_KEY, vertexai: true, httpOptions: { baseUrl: NO_PLACE, apiVersion: "" } }
  })
  const { call, ask } = calls
  const storage = storageRoot(options.variables.STORAGE_EMULATOR_HOST)
  const path = model.includes("/") ? model : `publishers/google/models/${model}`
  const under = (name: string) => `${folder.replace(/\/+$/, "")}/${name}`

  const objectsIn = Effect.fnUntraced(function* (uri: string) {
    const { bucket, object } = placeIn(uri)
    const names: Array<string> = []
    let pageToken: string | undefined
    do {
      const query = new URLSearchParams({ prefix: object, ...(pageToken === undefined ? {} : { pageToken }) })
      const response = yield* ask(`${storage}/storage/v1/b/${encodeURIComponent(bucket)}/o?${query}`)
      const answer = yield* Effect.tryPromise({
        try: (): Promise<unknown> => response.json(),
        catch: () => badResponse("a list of objects that is no JSON", { model, phase: "open" })
      })
      names.push(...(listIn(answer, "items") ?? []).flatMap((item) => textIn(item, "name") ?? []))
      pageToken = textIn(answer, "nextPageToken")
    } while (pageToken !== undefined)
    return { bucket, names: names.filter((name) => name.endsWith(".jsonl")).sort() }
  })

  return {
    inline: undefined,
    requestLine: ({ body, index }) => {
      const request = JSON.parse(body) as { readonly labels?: object }
      return `${JSON.stringify({ request: { ...request, labels: { ...request.labels, [INDEX_LABEL]: String(index) } } })}\n`
    },
    create: ({ input, name }) =>
      Effect.flatMap(
        call((sdk) =>
          sdk.batches.create({
            model: path,
            src: { format: "jsonl", gcsUri: [input._tag === "File" ? input.file : ""] },
            config: { displayName: name, dest: { format: "jsonl", gcsUri: under(`${name}/out`) } }
          })
        ),
        (answer) => {
          const job = jobIn(answer)
          return job === undefined ? badResponse(JSON.stringify(answer), { model, phase: "open" }) : Effect.succeed(job)
        }
      ),
    upload: (file, name) => {
      const uri = under(`${name}/requests.jsonl`)
      const { bucket, object } = placeIn(uri)
      const query = new URLSearchParams({ uploadType: "media", name: object })
      return Effect.as(
        ask(`${storage}/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?${query}`, {
          method: "POST",
          headers: { "content-type": "application/jsonl" },
          body: Bun.file(file)
        }),
        uri
      )
    },
    get: (id) =>
      Effect.flatMap(
        call((sdk) => sdk.batches.get({ name: id })),
        (answer) => {
          const job = jobIn(answer)
          return job === undefined ? badResponse(JSON.stringify(answer), { model, phase: "open" }) : Effect.succeed(job)
        }
      ),
    find: (name) =>
      Effect.map(
        call((sdk) => sdk.batches.list({ config: { filter: `displayName="${name}"` } })),
        (answer) => {
          const found = (listIn(answer, "batchPredictionJobs") ?? []).find((one) => displayNameIn(one) === name)
          return found === undefined ? undefined : jobIn(found)
        }
      ),
    cancel: (id) => Effect.asVoid(call((sdk) => sdk.batches.cancel({ name: id }))),
    forget: (uri) => {
      const { bucket, object } = placeIn(uri)
      return Effect.asVoid(ask(objectUrl(storage, bucket, object), { method: "DELETE" }))
    },
    results: (output) =>
      output._tag === "Inline"
        ? Effect.succeed(output.results)
        : Effect.gen(function* () {
            const { bucket, names } = yield* objectsIn(output.name)
            const files: Array<string> = []
            for (const name of names) {
              const file = yield* temporaryFile
              yield* writeBody(yield* ask(`${objectUrl(storage, bucket, name)}?alt=media`), file, model)
              files.push(file)
            }
            return allResults(files)
          }),
    cache: cacheCalls(calls, `projects/${plan.project}/locations/${plan.location}/${path}`)
  }
}

function* allResults(files: ReadonlyArray<string>): Generator<JobResult, void> {
  for (const file of files) yield* resultsIn(file)
}

/** Other programs for Cloud Storage find an emulator by the same variable. */
const storageRoot = (emulator: string | undefined): string => {
  if (emulator === undefined || emulator === "") return STORAGE
  return (/^https?:/.test(emulator) ? emulator : `http://${emulator}`).replace(/\/+$/, "")
}

const placeIn = (uri: string): { readonly bucket: string; readonly object: string } => {
  const [, bucket = "", object = ""] = /^gs:\/\/([^/]+)\/?(.*)$/.exec(uri) ?? []
  return { bucket, object }
}

const objectUrl = (storage: string, bucket: string, object: string): string =>
  `${storage}/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(object)}`
