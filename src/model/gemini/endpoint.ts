/** Where the requests of an authentication plan go: addresses and versions of the two APIs. */
import type { AuthPlan, CodeAssistPlan } from "../../auth/auth-plan.ts"
import type { Endpoint } from "../backend.ts"
import type { ModelService } from "../telemetry/request-signals.ts"

export interface GeminiEndpoint extends Endpoint {
  readonly api: "gemini" | "vertex"
  /** Without a slash at the end. */
  readonly baseUrl: string
  /** Empty: the base URL says it all. */
  readonly apiVersion: string
  /** `projects/…/locations/…`, of Vertex AI without a key: resources live there unless they say otherwise. */
  readonly scope: string | undefined
}

const GEMINI_API = "https://generativelanguage.googleapis.com"
const VERTEX_GLOBAL = "https://aiplatform.googleapis.com"
const MULTI_REGIONS = new Set(["us", "eu"])

/** Those that speak the Gemini API or that of Vertex AI. */
export type GeminiPlan = Exclude<AuthPlan, CodeAssistPlan>

/** `apiVersion` overrides the default of the API (`GOOGLE_GENAI_API_VERSION`). */
export const endpointFor = (plan: GeminiPlan, apiVersion: string | undefined): GeminiEndpoint => {
  switch (plan._tag) {
    case "ApiKey":
    case "Gateway":
      return endpoint("gemini", plain(plan.baseUrl) ?? GEMINI_API, apiVersion ?? "v1beta")
    case "VertexExpress":
      return endpoint("vertex", plain(plan.baseUrl) ?? VERTEX_GLOBAL, apiVersion ?? "v1beta1")
    case "Vertex": {
      const scope = `projects/${encodeURIComponent(plan.project)}/locations/${encodeURIComponent(plan.location)}`
      return endpoint("vertex", plain(plan.baseUrl) ?? regionalUrl(plan.location), apiVersion ?? "v1beta1", scope)
    }
  }
}

const endpoint = (api: GeminiEndpoint["api"], baseUrl: string, apiVersion: string, scope?: string): GeminiEndpoint => {
  const root = apiVersion === "" ? baseUrl : `${baseUrl}/${apiVersion}`
  return { api, baseUrl, apiVersion, scope, url: (path) => `${root}/${inScope(path, scope)}` }
}

/** What belongs to no project, such as the models of publishers. */
export const withoutScope = ({ api, apiVersion, baseUrl }: GeminiEndpoint): GeminiEndpoint =>
  endpoint(api, baseUrl, apiVersion)

/** A full resource name (a tuned model, another project) brings its own project and location. */
export const inScope = (resource: string, scope: string | undefined): string =>
  scope === undefined || resource.startsWith("projects/") ? resource : `${scope}/${resource}`

const plain = (url: URL | undefined): string | undefined => url?.href.replace(/\/+$/, "")

const regionalUrl = (location: string): string => {
  if (location === "global") return VERTEX_GLOBAL
  return MULTI_REGIONS.has(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}

/** Who answers, as telemetry names it. Nobody is asked for recorded answers. */
export const serviceFor = (plan: AuthPlan | undefined): ModelService => {
  if (plan === undefined) return { provider: "gcp.gen_ai", server: undefined }
  const place = plan._tag === "CodeAssist" ? { api: "gemini", baseUrl: plan.server } : endpointFor(plan, undefined)
  const { hostname, port, protocol } = new URL(place.baseUrl)
  return {
    provider: place.api === "vertex" ? "gcp.vertex_ai" : "gcp.gen_ai",
    server: { address: hostname, port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) }
  }
}
