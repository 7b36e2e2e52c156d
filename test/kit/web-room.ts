/** The web for tests: names that lead to servers on this machine, and a model that answers from a script. */
import { Effect, Layer } from "effect"
import * as Flow from "../../src/kernel/flow.ts"
import { type ModelChunk, ModelClient, type ModelRequest } from "../../src/model/model-client.ts"
import * as UtilityModels from "../../src/model/utility-models.ts"
import { PromptId } from "../../src/protocol/ids.ts"
import { ModelError } from "../../src/retry/model-error.ts"
import * as Http from "../../src/system/http/http.ts"
import { isPublicAddress } from "../../src/system/http/public-address.ts"
import * as HostResolver from "../../src/tools/web/host-resolver.ts"
import * as WebClient from "../../src/tools/web/web-client.ts"

/** `*.site.test` is this machine, and counts as public; `*.private.test` leads into a private network. */
export const resolverLayer = HostResolver.layerWith({
  lookup: async (name) => {
    if (name.endsWith("site.test")) return ["127.0.0.1"]
    if (name.endsWith("private.test")) return ["93.184.216.34", "10.0.0.7"]
    if (name.endsWith("metadata.test")) return ["169.254.169.254"]
    throw new Error(`unknown name ${name}`)
  },
  isAllowed: (address) => address === "127.0.0.1" || isPublicAddress(address)
})

export const webLayer = (variables: Readonly<Record<string, string>> = {}, extraCertificates?: string) =>
  WebClient.layer.pipe(
    Layer.provide(Layer.merge(resolverLayer, Layer.succeed(Http.Http, Http.make({ variables, extraCertificates }))))
  )

/** A server on this machine for the time of a scope; gives its port. */
export const webServer = (handler: (request: Request) => Response | Promise<Response>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handler })),
      (server) => Effect.promise(() => server.stop(true))
    ),
    (server) => server.port ?? 0
  )

export interface ScriptedModel {
  readonly layer: Layer.Layer<ModelClient | UtilityModels.UtilityModels>
  /** The requests so far. */
  readonly requests: Array<ModelRequest>
}

/** Answers in turn; `null` is a failure. */
export const scriptedModel = (answers: ReadonlyArray<ModelChunk | null>): ScriptedModel => {
  const requests: Array<ModelRequest> = []
  const generate = (request: ModelRequest) =>
    Effect.suspend(() => {
      const answer = answers[requests.length]
      requests.push(request)
      return answer === undefined || answer === null ? failure : Effect.succeed(answer)
    })
  return {
    requests,
    layer: Layer.merge(
      Layer.succeed(ModelClient, {
        generate,
        stream: () => Flow.fail(failure),
        countTokens: () => failure,
        embed: () => failure
      }),
      UtilityModels.layer((alias) => ({ model: `model-for-${alias}`, config: { alias } }), PromptId.make("p########1"))
    )
  }
}

const failure = new ModelError({
  kind: "unavailable",
  detail: "overloaded",
  phase: "open",
  errorType: "x",
  status: 503
})

export const answer = (text: string, more: object = {}): ModelChunk => ({
  candidates: [{ content: { role: "model", parts: [{ text: "hidden", thought: true }, { text }] }, ...more }]
})
