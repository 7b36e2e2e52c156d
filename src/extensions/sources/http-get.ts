/** A bounded GET: redirects, patience and size are the same for everything that is fetched about extensions. */
import { Duration, Effect, type Scope } from "effect"
import { codeOf } from "../../system/atomic-write.ts"
import { readText } from "../../system/http/body.ts"
import type { HttpClient } from "../../system/http/http.ts"
import type { HttpError } from "../../system/http/http-error.ts"
import { follow, isOnTheNet } from "../../system/http/redirects.ts"
import { ExtensionError } from "../extension-error.ts"

export interface HttpContext {
  readonly http: HttpClient
  /** A token, and the only origin that gets to see it. */
  readonly login?: { readonly origin: string; readonly token: string } | undefined
}

const MAX_REDIRECTS = 10
const ANSWER_WITHIN = Duration.seconds(30)
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const ENDLESS = "its answer does not end"

/** The answer is read within the scope. */
export const get = (
  text: string,
  accept: string,
  { http, login }: HttpContext
): Effect.Effect<Response, ExtensionError, Scope.Scope> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    if (url === null || !isOnTheNet(url)) return unreachable(text, "it is not on the net")
    const headers = { accept, "user-agent": "gemini-cli" }
    const headersFor = ({ origin }: URL): Record<string, string> =>
      login?.origin === origin ? { authorization: `token ${login.token}` } : {}
    return follow(
      http,
      { url, headers },
      { answerWithin: ANSWER_WITHIN, maxRedirects: MAX_REDIRECTS, headersFor }
    ).pipe(Effect.mapError((error) => unreachable(text, reasonOf(error))))
  })

/** The whole answer. */
export const textOf = (response: Response, url: string): Effect.Effect<string, ExtensionError> =>
  readText(response, new URL(url), { maxBytes: MAX_ANSWER_BYTES, gap: ANSWER_WITHIN }).pipe(
    Effect.mapError((error) => unreachable(url, error.kind === "timeout" ? ENDLESS : reasonOf(error))),
    Effect.timeoutFail({ duration: ANSWER_WITHIN, onTimeout: () => unreachable(url, ENDLESS) })
  )

/** The code of what went wrong says more than the words of the runtime. */
export const reasonOf = ({ cause, detail, kind }: HttpError): string =>
  kind === "network" && codeOf(cause) !== "unknown" ? codeOf(cause) : detail

export const unreachable = (url: string, reason: string): ExtensionError =>
  new ExtensionError({
    kind: "source",
    detail: `${url} cannot be fetched: ${reason}.`,
    advice: "Check the address and the connection, and try again."
  })
