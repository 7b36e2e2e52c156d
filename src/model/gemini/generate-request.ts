/**
 * `generateContent` and `streamGenerateContent` as the two APIs want them: path, headers and body. A test holds every
 * request against what the official SDK would send.
 */
import { Either, Predicate } from "effect"
import { ModelError } from "../../retry/model-error.ts"
import type { EncodedRequest, HeaderList, Protocol } from "../backend.ts"
import { deepMerge } from "../model-configs.ts"
import { bodyFields, type FieldPlace, type Fields } from "./config-fields.ts"

const CONTENT_TYPE = ["content-type", "application/json"] as const

export const generateProtocol =
  (place: FieldPlace): Protocol =>
  ({ config, model, systemInstruction }, form) => {
    const method = form === "stream" ? "streamGenerateContent?alt=sse" : "generateContent"
    const given =
      systemInstruction === undefined || systemInstruction === "" ? config : { ...config, systemInstruction }
    const parts = Either.all([resourceOf(model, place.api), bodyFields(given, place), httpOptions(config.httpOptions)])
    return Either.mapBoth(parts, {
      onLeft: (why) => invalidRequest(why, model),
      onRight: ([resource, body, { extraBody, headers }]): EncodedRequest => ({
        path: `${resource}:${method}`,
        headers: [CONTENT_TYPE, ...headers],
        before: '{"contents":',
        after: `,${JSON.stringify(extraBody === undefined ? body : deepMerge(body, extraBody)).slice(1)}`
      })
    })
  }

/** Nothing that would lead to another place of the server. */
const NO_NAME = /^$|\.\.|[?&#%\\]/

const resourceOf = (name: string, api: FieldPlace["api"]): Either.Either<string, string> => {
  if (NO_NAME.test(name)) return Either.left("invalid model parameter")
  const model = name.replace(/^models\//, "")
  if (api === "gemini") return Either.right(model.startsWith("tunedModels/") ? model : `models/${model}`)
  if (/^(publishers|projects)\//.test(model)) return Either.right(model)
  const [first = "", second] = model.split("/")
  return Either.right(
    second === undefined ? `publishers/google/models/${first}` : `publishers/${first}/models/${second}`
  )
}

/** Whose account it is: whoever names another one there reads the prompts. */
const ACCOUNT_HEADER = /^(?:authorization|proxy-authorization|cookie|host|x-goog-(?:api-key|user-project|iam-.*))$/i

/** What a preset may say about the request itself. Where it goes is not said there: the key would go along. */
export const httpOptions = (given: unknown): Either.Either<{ headers: HeaderList; extraBody?: Fields }, string> => {
  if (!Predicate.isReadonlyRecord(given)) return Either.right({ headers: [] })
  const address = ["baseUrl", "apiVersion"].find((name) => given[name] !== undefined)
  if (address !== undefined) return Either.left(`httpOptions.${address} is not for a single model`)
  const headers = Object.entries(Predicate.isReadonlyRecord(given.headers) ? given.headers : {})
  const account = headers.find(([name]) => ACCOUNT_HEADER.test(name))
  if (account !== undefined) return Either.left(`httpOptions.headers: ${account[0]} is not for a single model`)
  const seconds = typeof given.timeout === "number" && given.timeout > 0 ? [Math.ceil(given.timeout / 1000)] : []
  return Either.right({
    headers: [
      ...headers.map(([name, value]) => [name, String(value)] as const),
      ...seconds.map((limit) => ["x-server-timeout", String(limit)] as const)
    ],
    ...(Predicate.isReadonlyRecord(given.extraBody) ? { extraBody: withoutContents(given.extraBody) } : {})
  })
}

/** The conversation is ours. */
const withoutContents = ({ contents: _, ...fields }: Fields): Fields => fields

export const invalidRequest = (why: string, model: string): ModelError =>
  new ModelError({
    kind: "bad-request",
    detail: `the request cannot be made: ${why}`,
    model,
    phase: "open",
    errorType: "INVALID_REQUEST"
  })
