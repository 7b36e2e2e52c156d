/**
 * The other end of a login in the browser: a listener on this machine that takes one code, and nothing else. Whoever does
 * not know the secret of this login (`state`) cannot end it, neither with a code nor with an error.
 */
import { Deferred, Effect, type Scope } from "effect"
import { shortLine } from "../kernel/readable-text.ts"
import { serveLocally } from "../system/http/local-server.ts"

export interface LoginUnderWay {
  readonly state: string
  /** Who the login is with, where that is known. */
  readonly issuer: string | undefined
}

export interface CallbackOptions extends LoginUnderWay {
  /** 0: a free one. */
  readonly port: number
  /** Where the login page sends the browser, by the port that was found. */
  readonly redirectUri: (port: number) => string
  /** Another address of this machine to listen on. */
  readonly host?: string | undefined
  /** Pages that say how it went, in place of ours. */
  readonly pages?: { readonly success: string; readonly failure: string }
}

export interface Callback {
  readonly redirectUri: string
  /** The code, or the reason why there is none. */
  readonly code: Effect.Effect<string, string>
  /** Ends when somebody came who does not belong to this login. */
  readonly stranger: Effect.Effect<void>
}

const PATH = "/oauth/callback"

/** Fails with a reason. */
export const listenForCode = Effect.fnUntraced(function* (
  options: CallbackOptions
): Effect.fn.Return<Callback, string, Scope.Scope> {
  const result = yield* Deferred.make<string, string>()
  const stranger = yield* Deferred.make<void>()
  let isOver = false
  const places = [PATH, URL.parse(options.redirectUri(options.port))?.pathname]
  const port = yield* serveLocally({
    port: options.port,
    host: options.host,
    otherHosts: (bound) => [URL.parse(options.redirectUri(bound))?.host ?? ""],
    answer: ({ pathname, searchParams }) => {
      if (!places.includes(pathname)) return new Response("not found", { status: 404 })
      const outcome = outcomeIn(searchParams, options)
      if (outcome._tag === "Stranger") {
        Deferred.unsafeDone(stranger, Effect.void)
        return page(NOT_OURS, 400)
      }
      if (isOver) return page("This login is over.", 410)
      isOver = true
      Deferred.unsafeDone(result, asEffect(outcome))
      if (options.pages !== undefined) {
        return moved(outcome._tag === "Code" ? options.pages.success : options.pages.failure)
      }
      return page(outcome._tag === "Code" ? "You are logged in. You can close this page." : outcome.reason, 200)
    }
  })
  return {
    redirectUri: options.redirectUri(port),
    code: Deferred.await(result),
    stranger: Deferred.await(stranger)
  }
})

export const redirectUriOf = (port: number): string => `http://localhost:${port}${PATH}`

/** What a person may paste where no browser can reach this machine: the code, or the whole address of the last page. */
export const codeFromPaste = (text: string, login: LoginUnderWay): Effect.Effect<string, string> => {
  const parameters = URL.parse(text.trim())?.searchParams
  if (parameters !== undefined && ANSWER_NAMES.some((name) => parameters.has(name))) {
    return asEffect(outcomeIn(parameters, login))
  }
  return text.trim() === "" ? Effect.fail("nothing was pasted") : Effect.succeed(text.trim())
}

type Outcome =
  | { readonly _tag: "Code"; readonly code: string }
  | { readonly _tag: "Failed"; readonly reason: string }
  /** Not an answer to this login: whoever sent it does not know its secret. */
  | { readonly _tag: "Stranger" }

const ANSWER_NAMES = ["code", "state", "error", "error_description", "iss"]
const NOT_OURS = "the answer belongs to another login (state does not match)"

const asEffect = (outcome: Outcome): Effect.Effect<string, string> => {
  switch (outcome._tag) {
    case "Code":
      return Effect.succeed(outcome.code)
    case "Failed":
      return Effect.fail(outcome.reason)
    case "Stranger":
      return Effect.fail(NOT_OURS)
  }
}

/** Nothing may stand there twice: whoever reads the other one of the two would be told something else. */
const outcomeIn = (parameters: URLSearchParams, { issuer, state }: LoginUnderWay): Outcome => {
  if (parameters.get("state") !== state || ANSWER_NAMES.some((name) => parameters.getAll(name).length > 1)) {
    return { _tag: "Stranger" }
  }
  const failed = (reason: string): Outcome => ({ _tag: "Failed", reason })
  const error = parameters.get("error")
  if (error !== null) return failed(`the login was refused: ${shortLine(parameters.get("error_description") ?? error)}`)
  const from = parameters.get("iss")
  if (from !== null && issuer !== undefined && from !== issuer) {
    return failed(`the answer comes from ${shortLine(from)}, and the login is with ${shortLine(issuer)}`)
  }
  const code = parameters.get("code")
  return code === null || code === "" ? failed("the answer holds no code") : { _tag: "Code", code }
}

const moved = (location: string) => new Response(null, { status: 301, headers: { location } })

const page = (text: string, status: number): Response =>
  new Response(`<!doctype html><meta charset="utf-8"><title>gemini</title><p>${escaped(text)}</p>`, {
    status,
    headers: { "content-type": "text/html; charset=utf-8" }
  })

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
