/** Where the requests of an authentication plan go: addresses and versions of the two APIs. */
import type { AuthPlan } from "../auth/auth-plan.ts"

export interface Endpoint {
  readonly isVertex: boolean
  /** Without a slash at the end. */
  readonly baseUrl: string
  /** Empty: the base URL says it all. */
  readonly apiVersion: string
}

const GEMINI_API = "https://generativelanguage.googleapis.com"
const VERTEX_GLOBAL = "https://aiplatform.googleapis.com"
const MULTI_REGIONS = new Set(["us", "eu"])

/** `apiVersion` overrides the default of the API (`GOOGLE_GENAI_API_VERSION`). */
export const endpointFor = (plan: AuthPlan, model: string, apiVersion: string | undefined): Endpoint => {
  switch (plan._tag) {
    case "ApiKey":
    case "Gateway":
      return { isVertex: false, baseUrl: plain(plan.baseUrl) ?? GEMINI_API, apiVersion: apiVersion ?? "v1beta" }
    case "VertexExpress":
      return { isVertex: true, baseUrl: plain(plan.baseUrl) ?? VERTEX_GLOBAL, apiVersion: apiVersion ?? "v1beta1" }
    case "Vertex": {
      const baseUrl = plain(plan.baseUrl) ?? regionalUrl(plan.location)
      const version = apiVersion ?? "v1beta1"
      // A full resource name (a tuned model, another project) brings its own project and location.
      if (model.startsWith("projects/")) return { isVertex: true, baseUrl, apiVersion: version }
      const scope = `projects/${encodeURIComponent(plan.project)}/locations/${encodeURIComponent(plan.location)}`
      return { isVertex: true, baseUrl: `${baseUrl}/${version}/${scope}`, apiVersion: "" }
    }
  }
}

const plain = (url: URL | undefined): string | undefined => url?.href.replace(/\/+$/, "")

const regionalUrl = (location: string): string => {
  if (location === "global") return VERTEX_GLOBAL
  return MULTI_REGIONS.has(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`
}
