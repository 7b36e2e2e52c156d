/** Where an agent that speaks gRPC is reached. Cards write it with and without a scheme. Pure. */
import { proxyFor } from "../../system/http/proxy.ts"

export interface GrpcPlace {
  /** Host and port, as the library for gRPC wants it. */
  readonly target: string
  readonly isSecure: boolean
  /** For credentials and the proxy. */
  readonly url: URL
}

/** `https` means TLS and `http` none; without a word about it, credentials are reason enough for TLS. */
export const grpcPlace = (written: string, { hasAuth }: { readonly hasAuth: boolean }): GrpcPlace => {
  const [, scheme, rest = written] = /^(https?|grpcs?):\/\/(.*)$/i.exec(written) ?? []
  const isSecure = scheme === undefined ? hasAuth : /s$/i.test(scheme)
  const url = new URL(`${isSecure ? "https" : "http"}://${rest}`)
  const port = url.port === "" ? (isSecure ? "443" : "80") : url.port
  return { target: `${url.hostname}:${port}`, isSecure, url }
}

/** The library for gRPC finds a proxy by itself, by names in lower case only. */
const GRPC_PROXY_NAMES = ["grpc_proxy", "https_proxy", "http_proxy"]

/** What to tell where requests of other kinds would go through a proxy and these do not. */
export const proxyWarnings = (
  { url }: GrpcPlace,
  variables: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  proxyFor(url, variables) === undefined || GRPC_PROXY_NAMES.some((name) => (variables[name] ?? "") !== "")
    ? []
    : [`it speaks gRPC, which goes past the proxy: set https_proxy in lower case as well`]
