/** A model client whose requests are recorded, with the address that they go to. */
import type { ModelClient } from "../model/model-client.ts"
import type { ModelService } from "../model/telling/request-signals.ts"
import { withTelemetry } from "../model/with-telemetry.ts"
import type { AuthType } from "../protocol/modes.ts"

type Variable = (name: string) => string | undefined

/** `undefined`: recorded answers, which nobody is asked for. */
export const told = (client: ModelClient["Type"], authType: AuthType | undefined, variable: Variable) =>
  withTelemetry(client, serviceOf(authType, variable))

const serviceOf = (authType: AuthType | undefined, variable: Variable): ModelService => {
  const isVertex = authType === "vertex-ai"
  const given = variable(isVertex ? "GOOGLE_VERTEX_BASE_URL" : "GOOGLE_GEMINI_BASE_URL")
  const url =
    URL.parse(given ?? "") ?? new URL(isVertex ? vertexUrl(variable) : "https://generativelanguage.googleapis.com")
  const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port)
  return {
    provider: isVertex ? "gcp.vertex_ai" : "gcp.gen_ai",
    server: authType === undefined ? undefined : { address: url.hostname, port }
  }
}

const vertexUrl = (variable: Variable): string => {
  const location = variable("GOOGLE_CLOUD_LOCATION") ?? "global"
  return location === "global" ? "https://aiplatform.googleapis.com" : `https://${location}-aiplatform.googleapis.com`
}
