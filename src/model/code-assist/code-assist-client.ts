/**
 * The Code Assist server as a model: the requests and answers of the Gemini API, each in an envelope that names the model,
 * the project and the session. Its answers are streamed as events; what is no answer among them is passed over.
 */
import { Effect, Either, Option, Predicate, Schema } from "effect"
import type { AuthError } from "../../auth/auth-plan.ts"
import type { CodeAssistAccount } from "../../auth/google/account.ts"
import { CREDIT_TYPE, CreditList, creditsIn } from "../../auth/google/paid-credits.ts"
import * as Flow from "../../kernel/flow.ts"
import type { Secret } from "../../kernel/redact-secrets.ts"
import type { Content } from "../../protocol/content.ts"
import { badResponse } from "../../retry/classify.ts"
import { ModelError } from "../../retry/model-error.ts"
import { makeBodyParser } from "../answer-body.ts"
import type { BackendAuth, Endpoint, Framing, Protocol } from "../backend.ts"
import { type Ask, makeClient, type RareCalls } from "../backend-client.ts"
import { decodeValue, parseJson } from "../decode-chunk.ts"
import { bodyFields, type Fields } from "../gemini/config-fields.ts"
import { httpOptions, invalidRequest } from "../gemini/generate-request.ts"
import type { AccountUse, ClientOptions } from "../load-client.ts"
import type { ModelClient, ModelRequest } from "../model-client.ts"

export const make = (use: AccountUse, options: ClientOptions): ModelClient["Type"] => {
  const { account } = use
  const { server } = account.plan
  const endpoint: Endpoint = { baseUrl: server, url: (path) => `${server}:${path}` }
  const backend = { protocol: enveloped(use), endpoint, auth: tokenAuth(account), framing: framingFor(account) }
  const client = makeClient(backend, options, (ask) => rareCalls(endpoint, ask))
  const told = thoughtsAsText()
  const spending = tellOnce(use)
  return {
    ...client,
    stream: (request) =>
      Flow.unwrap(Effect.as(spending(request.model), client.stream({ ...request, contents: told(request.contents) }))),
    generate: (request) =>
      Effect.zipRight(spending(request.model), client.generate({ ...request, contents: told(request.contents) }))
  }
}

/** Money is not spent silently: the first request that may cost credits says so. */
const tellOnce = ({ account: { credits }, say }: AccountUse) => {
  let isTold = false
  return (model: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isTold || !credits.pay(nameOf(model))) return Effect.void
      isTold = true
      return say(
        `Paid credits are used where the quota of ${nameOf(model)} is used up (billing.overageStrategy: always); ${credits.balance()} are left.`
      )
    })
}

const JSON_BODY = ["content-type", "application/json"] as const

const enveloped =
  (use: AccountUse): Protocol =>
  (request, form) => {
    const { config, model, systemInstruction } = request
    const given =
      systemInstruction === undefined || systemInstruction === "" ? config : { ...config, systemInstruction }
    const parts = Either.all([bodyFields(given, { api: "vertex", scope: undefined }), httpOptions(config.httpOptions)])
    return Either.mapBoth(parts, {
      onLeft: (why) => invalidRequest(why, model),
      onRight: ([fields, { headers }]) => ({
        path: form === "stream" ? "streamGenerateContent?alt=sse" : "generateContent",
        headers: [JSON_BODY, ...headers],
        before: '{"request":{"contents":',
        after: `,${JSON.stringify({ ...known(fields), session_id: use.sessionId }).slice(1)},${JSON.stringify(envelope(use, request)).slice(1)}`
      })
    })
  }

const envelope = ({ account, isInteractive, sessionId }: AccountUse, { model, promptId }: ModelRequest) => ({
  model: nameOf(model),
  ...(account.project === undefined ? {} : { project: account.project }),
  user_prompt_id: isInteractive ? promptId : sessionId,
  ...(account.credits.pay(nameOf(model)) ? { enabled_credit_types: [CREDIT_TYPE] } : {})
})

/** The server knows one model by another name. */
const nameOf = (model: string): string => {
  const id = model.replace(/^models\//, "")
  return id === "gemini-3.5-flash" ? "gemini-3-flash" : id
}

const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  ...["systemInstruction", "cachedContent", "tools", "toolConfig", "labels", "safetySettings", "generationConfig"]
])
const SETTING_FIELDS: ReadonlySet<string> = new Set([
  ...["temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "stopSequences", "responseLogprobs"],
  ...["logprobs", "presencePenalty", "frequencyPenalty", "seed", "responseMimeType", "responseSchema"],
  ...["responseJsonSchema", "routingConfig", "modelSelectionConfig", "responseModalities", "mediaResolution"],
  ...["speechConfig", "audioTimestamp", "thinkingConfig"]
])

/** The server refuses a request with fields that it does not know. */
const known = ({ generationConfig, ...fields }: Fields): Fields => ({
  ...only(fields, REQUEST_FIELDS),
  ...(Predicate.isReadonlyRecord(generationConfig)
    ? { generationConfig: only(asNamedThere(generationConfig), SETTING_FIELDS) }
    : {})
})

/** Vertex AI has another word for it. */
const asNamedThere = ({ modelConfig, ...fields }: Fields): Fields =>
  modelConfig === undefined ? fields : { ...fields, modelSelectionConfig: modelConfig }

const only = (fields: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)))

/** A token that is not accepted any more is renewed once. */
const tokenAuth = ({ plan, tokens }: CodeAssistAccount): BackendAuth => {
  let used = ""
  /** Grows by every token that was sent: a server may say it again. */
  const sent: Array<Secret> = []
  const bearer = (token: string) => {
    if (used !== token) sent.push({ name: "ACCESS_TOKEN", value: token })
    used = token
    return [["authorization", `Bearer ${token}`] as const]
  }
  const failed = (model: string) => Effect.mapError((error: AuthError) => asModelError(error, model))
  return {
    authType: plan.authType,
    headers: (model) => tokens.current.pipe(Effect.map(bearer), failed(model)),
    renewed: (model) => Effect.suspend(() => tokens.instead(used)).pipe(Effect.map(bearer), failed(model)),
    secrets: sent
  }
}

const asModelError = (error: AuthError, model: string): ModelError =>
  new ModelError({
    kind: error.reason === "google-unavailable" ? "network" : "auth",
    detail: error.hint === undefined ? error.detail : `${error.detail}. ${error.hint}`,
    errorType: "CREDENTIALS",
    phase: "open",
    model,
    cause: error
  })

/** What stands in an envelope; `undefined`: a record without an answer. An error is none. */
const unwrappedFor =
  ({ credits }: CodeAssistAccount) =>
  (value: unknown): unknown => {
    if (Array.isArray(value) || Predicate.hasProperty(value, "error")) return value
    if (!Predicate.hasProperty(value, "response") || !Predicate.isReadonlyRecord(value.response)) return undefined
    const { consumedCredits, remainingCredits, traceId }: Fields = value
    const [consumed, remaining] = [creditsOf(consumedCredits), creditsOf(remainingCredits)]
    if (remaining !== undefined) credits.noteLeft(remaining)
    return {
      ...value.response,
      ...(typeof traceId === "string" && traceId !== "" ? { responseId: traceId } : {}),
      ...(consumed === undefined
        ? {}
        : { paidCredits: { consumed, ...(remaining === undefined ? {} : { remaining }) } })
    }
  }

const creditsOf = (list: unknown): number | undefined =>
  creditsIn(Option.getOrUndefined(Schema.decodeUnknownOption(CreditList)(list)))

const framingFor = (account: CodeAssistAccount): Framing => {
  const unwrapped = unwrappedFor(account)
  return {
    parser: (context) => makeBodyParser({ ...context, unwrapped }),
    document: (text, context) => decodeValue(unwrapped(parseJson(text)), text, context)
  }
}

const rareCalls = (endpoint: Endpoint, ask: Ask): RareCalls => ({
  countTokens: Effect.fnUntraced(function* ({ contents, model }) {
    const headers = new Headers([[...JSON_BODY]])
    const body = JSON.stringify({ request: { model: `models/${nameOf(model)}`, contents } })
    const text = yield* ask({ url: endpoint.url("countTokens"), headers, body: () => body }, model)
    const answer = parseJson(text)
    const count = Predicate.hasProperty(answer, "totalTokens") ? answer.totalTokens : undefined
    return typeof count === "number" ? count : yield* badResponse(text, { model, phase: "open" })
  }),
  embed: ({ model }) => invalidRequest("the Code Assist server has no embeddings", model)
})

/** The server takes no thoughts. What is asked for again and again is rewritten once. */
const thoughtsAsText = () => {
  const rewritten = new WeakMap<Content, Content>()
  return (contents: ReadonlyArray<Content>): ReadonlyArray<Content> => {
    if (!contents.some(hasThought)) return contents
    return contents.map((content) => {
      if (!hasThought(content)) return content
      const before = rewritten.get(content)
      if (before !== undefined) return before
      const after: Content = { ...content, parts: content.parts?.map(withoutThought) ?? [] }
      rewritten.set(content, after)
      return after
    })
  }
}

const hasThought = ({ parts }: Content): boolean => parts?.some(({ thought }) => thought === true) === true

type Part = NonNullable<Content["parts"]>[number]

const withoutThought = (part: Part): Part => {
  const { thought, ...rest } = part
  if (thought !== true) return part
  const isText = ["functionCall", "functionResponse", "inlineData", "fileData"].every(
    (name) => !Object.hasOwn(rest, name)
  )
  return isText ? { ...rest, text: `${rest.text ?? ""}\n[Thought: true]` } : rest
}
