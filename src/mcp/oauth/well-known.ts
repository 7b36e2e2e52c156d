/** The places where servers describe how to log in. Pure. */
import { isAddress, isPublicAddress } from "../../system/http/public-address.ts"
import { isOnTheNet } from "../../system/http/redirects.ts"
import { hostOf } from "../../system/http/web-url.ts"

/** Scheme, host and path: what a protected resource is called. */
export const resourceOf = (serverUrl: string): string => {
  const { origin, pathname } = new URL(serverUrl)
  return `${origin}${pathname}`
}

export const protectedResourcePlaces = (serverUrl: string): ReadonlyArray<string> => {
  const { origin } = new URL(serverUrl)
  const path = pathOf(serverUrl)
  return distinct([
    `${origin}/.well-known/oauth-protected-resource${path}`,
    `${origin}/.well-known/oauth-protected-resource`
  ])
}

export const authorizationServerPlaces = (issuer: string): ReadonlyArray<string> => {
  const { origin } = new URL(issuer)
  const path = pathOf(issuer)
  return distinct([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server`,
    `${origin}/.well-known/openid-configuration`
  ])
}

const AUTHORIZE_SUFFIX =
  /\/(?:protocol\/openid-connect\/auth|oauth2?\/(?:v\d+\/)?authorize|authorize|authorization|auth)$/
const VERSION_SEGMENT = /\/v\d+(?:\.\d+)*$/

/** Issuers that a login page may belong to, where only the page is known. */
export const issuersOf = (authorizationUrl: string): ReadonlyArray<string> => {
  const { origin } = new URL(authorizationUrl)
  const path = pathOf(authorizationUrl).replace(AUTHORIZE_SUFFIX, "")
  return distinct([origin, `${origin}${path}`, `${origin}${path.replace(VERSION_SEGMENT, "")}`])
}

/** `resource_metadata="URL"` of a `WWW-Authenticate` header. */
export const resourceMetadataIn = (challenge: string | undefined): string | undefined => {
  const found = /resource_metadata\s*=\s*(?:"([^"]+)"|([^\s,]+))/i.exec(challenge ?? "")
  const url = found?.[1] ?? found?.[2]
  return url !== undefined && /^https?:/.test(URL.parse(url)?.protocol ?? "") ? url : undefined
}

/**
 * Whether a server may send us to an address that it describes. Never from https to less, never out of the web (a browser
 * opens `file:` and worse), and never from the public net to this machine or its network.
 */
export const maySendTo = (server: string, described: string): boolean => {
  const [from, to] = [URL.parse(server), URL.parse(described)]
  if (from === null || to === null || !isOnTheNet(to) || to.username !== "") return false
  if (from.hostname === to.hostname) return from.protocol === "http:" || to.protocol === "https:"
  return (from.protocol === "http:" || to.protocol === "https:") && (isNear(from) || !isNear(to))
}

/** This machine or its network, as far as the name of a host says so. */
const isNear = (url: URL): boolean => {
  const host = hostOf(url)
  return isAddress(host)
    ? !isPublicAddress(host)
    : !host.includes(".") || /\.(?:localhost|local|internal|lan)$/.test(host)
}

/** Without the slash at its end. */
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, "")

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
