/** The other end of a login in the browser: a listener on this machine that takes the code, and nothing else. */
import { Deferred, Effect, type Scope } from "effect"

export interface Callback {
  readonly port: number
  /** The code, or the reason why there is none. */
  readonly code: Effect.Effect<string, string>
}

const PATH = "/oauth/callback"

/** `port` 0: a free one. Fails with a reason. */
export const listenForCode = (port: number, state: string): Effect.Effect<Callback, string, Scope.Scope> =>
  Effect.gen(function* () {
    const result = yield* Deferred.make<string, string>()
    const server = yield* Effect.acquireRelease(
      Effect.try({
        try: () =>
          Bun.serve({
            hostname: "localhost",
            port,
            fetch: (request) => {
              const url = new URL(request.url)
              if (url.pathname !== PATH) return new Response("not found", { status: 404 })
              const outcome = codeIn(url.searchParams, state)
              Deferred.unsafeDone(
                result,
                "code" in outcome ? Effect.succeed(outcome.code) : Effect.fail(outcome.reason)
              )
              return page("code" in outcome ? "You are logged in. You can close this page." : outcome.reason)
            }
          }),
        catch: (error) => `no listener on port ${port}: ${error instanceof Error ? error.message : String(error)}`
      }),
      // The page that says how it went is still on its way to the browser.
      (running) => Effect.promise(() => running.stop())
    )
    return { port: server.port ?? port, code: Deferred.await(result) }
  })

export const redirectUriOf = (port: number): string => `http://localhost:${port}${PATH}`

/** What a person may paste where no browser can reach this machine: the code, or the whole address of the last page. */
export const codeFromPaste = (text: string, state: string): { readonly code: string } | { readonly reason: string } => {
  const url = URL.parse(text.trim())
  if (url?.searchParams.has("code")) return codeIn(url.searchParams, state)
  return text.trim() === "" ? { reason: "nothing was pasted" } : { code: text.trim() }
}

const codeIn = (
  parameters: URLSearchParams,
  state: string
): { readonly code: string } | { readonly reason: string } => {
  const error = parameters.get("error")
  if (error !== null) return { reason: `the login was refused: ${parameters.get("error_description") ?? error}` }
  if (parameters.get("state") !== state) return { reason: "the answer belongs to another login (state does not match)" }
  const code = parameters.get("code")
  return code === null || code === "" ? { reason: "the answer holds no code" } : { code }
}

const page = (text: string): Response =>
  new Response(`<!doctype html><meta charset="utf-8"><title>gemini</title><p>${escaped(text)}</p>`, {
    headers: { "content-type": "text/html; charset=utf-8" }
  })

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
