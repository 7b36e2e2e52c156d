/** Sends JSON to a receiver, through the proxy that all traffic of the program goes through. */
import { Effect } from "effect"
import { proxyFor } from "../../kernel/proxy.ts"

export type Variables = Readonly<Record<string, string | undefined>>

export interface JsonPost {
  readonly url: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
  /** Of the run, `.env` files included: they name the proxy. */
  readonly variables: Variables
}

/** Fails with a reason for people. */
export const postJson = ({ body, headers = [], url, variables }: JsonPost): Effect.Effect<void, string> =>
  Effect.tryPromise({
    try: (signal) => {
      const proxy = proxyFor(new URL(url), variables)
      return fetch(url, {
        method: "POST",
        headers: [
          ...headers.map(([name, value]): [string, string] => [name, value]),
          ["content-type", "application/json"]
        ],
        body,
        signal,
        ...(proxy === undefined ? {} : { proxy })
      })
    },
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Effect.flatMap((response) =>
      response.ok ? Effect.void : Effect.fail(`${new URL(url).host} answered ${response.status}`)
    )
  )
