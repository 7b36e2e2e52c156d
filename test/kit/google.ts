/**
 * A stand-in for Google on loopback: the login page, the token endpoint, who a token belongs to, the metadata server of a
 * machine, and the Code Assist server with a scripted model. Everything has an answer that works; a test replaces those
 * that it is about, and reads what was asked.
 */
import { createHash } from "node:crypto"
import type { Reply } from "./replies.ts"
import { bodyOf } from "./reply-bytes.ts"

export interface GoogleRequest {
  readonly method: string
  readonly path: string
  /** What follows the colon (`loadCodeAssist`), else the path. */
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or the fields of a form. */
  readonly body: Readonly<Record<string, unknown>>
}

/** An answer with its status; anything else is a body under 200. */
export const status = (code: number, body: unknown = {}): Response => Response.json(body, { status: code })

/** As Google words a refusal. */
export const refusal = (code: number, message: string, details: ReadonlyArray<unknown> = []): Response =>
  status(code, { error: { code, message, details } })

export type Answer = (request: GoogleRequest, index: number) => unknown

export interface GoogleOptions {
  /** What the model says, one reply for each request; the last one again and again. */
  readonly says?: ReadonlyArray<Reply>
  /** By the name of a method, or by a path. */
  readonly answers?: Readonly<Record<string, Answer>>
  /** Seconds that a token is good for. */
  readonly expiresIn?: number
}

export interface Google extends Disposable {
  readonly url: string
  readonly requests: ReadonlyArray<GoogleRequest>
  /** The names of what was asked for, in order. */
  readonly asked: () => ReadonlyArray<string>
  readonly named: (name: string) => ReadonlyArray<GoogleRequest>
  /** Variables of a run that signs in here. */
  readonly env: Readonly<Record<string, string>>
  /** A token that is accepted from now on. */
  readonly issue: () => string
  /** From now on no token is accepted that was given so far. */
  readonly revoke: () => void
  /** What `oauth_creds.json` holds after a sign-in; tokens end in an hour unless told otherwise. */
  readonly signedIn: (changes?: Readonly<Record<string, unknown>>) => string
  /** What a person does who agrees: the address that the page sends the browser to. */
  readonly agree: (page: string) => Promise<string>
}

export const EMAIL = "ada@example.com"

export const startGoogle = (options: GoogleOptions = {}): Google => {
  const requests: Array<GoogleRequest> = []
  const tokens = new Set<string>()
  const codes = new Map<string, string>()
  const counts = new Map<string, number>()
  let serial = 0
  const issue = (): string => {
    serial += 1
    tokens.add(`ya29.canary-access-${serial}`)
    return `ya29.canary-access-${serial}`
  }

  const usual: Readonly<Record<string, Answer>> = {
    ...aboutAccount,
    "/token": ({ body }) => {
      if (body.grant_type === "authorization_code") {
        const challenge = codes.get(String(body.code))
        codes.delete(String(body.code))
        const hash = createHash("sha256").update(String(body.code_verifier)).digest("base64url")
        if (challenge !== hash)
          return status(400, { error: "invalid_grant", error_description: "Malformed auth code." })
        const expiry = { expires_in: options.expiresIn ?? 3599, token_type: "Bearer", scope: "s" }
        return { access_token: issue(), refresh_token: "1//canary-refresh-new", id_token: "canary-id-token", ...expiry }
      }
      return { access_token: issue(), expires_in: options.expiresIn ?? 3599, token_type: "Bearer" }
    },
    "/tokeninfo": () => ({ email: EMAIL, expires_in: 3599 }),
    "/oauth2/v2/userinfo": () => ({ email: EMAIL }),
    "/computeMetadata/v1/instance/service-accounts/default/token": ({ headers }) =>
      headers["metadata-flavor"] === "Google"
        ? { access_token: issue(), expires_in: 3599, token_type: "Bearer" }
        : status(403),
    "/sts": () => ({ access_token: issue(), expires_in: 3599, token_type: "Bearer", issued_token_type: "t" }),
    "/o/oauth2/v2/auth": ({ body }) => {
      const code = `4/canary-code-${codes.size + 1}`
      codes.set(code, String(body.code_challenge))
      const back = new URL(String(body.redirect_uri))
      back.searchParams.set("code", code)
      back.searchParams.set("state", String(body.state))
      return new Response(null, { status: 302, headers: { location: back.href } })
    }
  }
  const answerTo = async (request: GoogleRequest): Promise<unknown> => {
    const isServer = request.path.startsWith("/v1internal")
    const token = (request.headers.authorization ?? "").replace(/^Bearer /, "")
    if (isServer && !tokens.has(token)) return refusal(401, "Request had invalid authentication credentials.")
    const index = counts.get(request.name) ?? 0
    counts.set(request.name, index + 1)
    const given = options.answers?.[request.name]
    if (given !== undefined) return await given(request, index)
    if (/^(?:stream)?[gG]enerateContent$/.test(request.name)) return modelAnswer(request, options.says ?? [], index)
    return usual[request.name]?.(request, index) ?? refusal(404, `nothing here: ${request.path}`)
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: async (incoming) => {
      const request = await read(incoming)
      requests.push(request)
      const answer = await answerTo(request)
      return answer instanceof Response ? answer : Response.json(answer)
    }
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    requests,
    asked: () => requests.map(({ name }) => name),
    named: (name) => requests.filter((request) => request.name === name),
    env: {
      GOOGLE_GENAI_USE_GCA: "true",
      CODE_ASSIST_ENDPOINT: url,
      GEMINI_OAUTH_ENDPOINT: url,
      GEMINI_OAUTH_CLIENT_ID: "client-of-the-tests",
      GEMINI_OAUTH_CLIENT_SECRET: "GOCSPX-canary-secret",
      GCE_METADATA_HOST: `127.0.0.1:${server.port}`
    },
    issue,
    revoke: () => tokens.clear(),
    signedIn: (changes = {}) =>
      JSON.stringify({
        access_token: issue(),
        refresh_token: "1//canary-refresh",
        scope: "s",
        token_type: "Bearer",
        expiry_date: Date.now() + 3_600_000,
        ...changes
      }),
    agree: async (page) => {
      const answer = await fetch(page, { redirect: "manual" })
      return answer.headers.get("location") ?? ""
    },
    [Symbol.dispose]: () => void server.stop(true)
  }
}

/** Somebody who has used it before, on the tier of organisations. */
const aboutAccount: Readonly<Record<string, Answer>> = {
  loadCodeAssist: () => ({
    currentTier: { id: "standard-tier", name: "Gemini Code Assist" },
    cloudaicompanionProject: "project-of-the-server"
  }),
  onboardUser: () => ({
    name: "operations/1",
    done: true,
    response: { cloudaicompanionProject: { id: "given-project" } }
  }),
  listExperiments: () => ({ experimentIds: [], flags: [] }),
  retrieveUserQuota: () => ({
    buckets: [
      { modelId: "gemini-2.5-pro", remainingFraction: 0.5, resetTime: "2030-01-01T00:00:00Z", tokenType: "REQUESTS" }
    ]
  }),
  fetchAdminControls: () => ({ adminControlsApplicable: false }),
  recordCodeAssistMetrics: () => ({}),
  getCodeAssistGlobalUserSetting: () => ({ freeTierDataCollectionOptin: true }),
  setCodeAssistGlobalUserSetting: ({ body }) => body,
  countTokens: () => ({ totalTokens: 7 })
}

/** Each chunk in the envelope of the server. */
const modelAnswer = (request: GoogleRequest, says: ReadonlyArray<Reply>, index: number): Response => {
  const reply = says[Math.min(index, says.length - 1)]
  if (reply === undefined) return refusal(400, "the script is empty")
  if (/"(?:complexity_score|model_choice)"/.test(JSON.stringify(request.body))) return Response.json(HARD)
  const isStream = request.name === "streamGenerateContent"
  const inEnvelope =
    reply._tag === "Raw"
      ? reply
      : { ...reply, chunks: reply.chunks.map((response) => ({ response, traceId: `trace-${index + 1}` })) }
  const { body, headers, status: code } = bodyOf(inEnvelope, isStream)
  return new Response(body.slice(), { status: code, headers })
}

/** Which model answers is asked of a small one first; see `model-server.ts`. */
const HARD = {
  response: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [{ text: '{"complexity_reasoning":"","complexity_score":100,"reasoning":"","model_choice":"pro"}' }]
        },
        finishReason: "STOP"
      }
    ]
  }
}

const read = async (incoming: Request): Promise<GoogleRequest> => {
  const { pathname, searchParams } = new URL(incoming.url)
  const text = await incoming.text()
  const name = pathname.includes(":")
    ? pathname.slice(pathname.lastIndexOf(":") + 1)
    : pathname.replace("/v1internal/", "")
  return {
    method: incoming.method,
    path: pathname,
    name,
    headers: Object.fromEntries(incoming.headers),
    body: text.startsWith("{")
      ? JSON.parse(text)
      : Object.fromEntries(text === "" ? searchParams : new URLSearchParams(text))
  }
}
