/**
 * `advanced.dnsResolutionOrder: "ipv4first"`: the runtime tries the addresses of a name in an order of its own, so a name is
 * looked up here and its first IPv4 address is named in its place; the certificate is still that of the name. Where nobody
 * answers there, the request goes out as it always does.
 */
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import type { Exchange } from "./http.ts"

export type Send = (url: URL, request: Exchange, serverName?: string) => Promise<Response>

/** Failures before anything of the request was sent. */
const NOT_CONNECTED = /^(?:ConnectionRefused|FailedToOpenSocket|E(?:CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT))$/

export const overIpv4 = async (url: URL, request: Exchange, send: Send): Promise<Response> => {
  const name = url.hostname
  const address = isIP(name) !== 0 || name.startsWith("[") ? undefined : await firstIpv4(name)
  if (address === undefined) return send(url, request)
  const there = new URL(url)
  there.hostname = address
  const headers = new Headers(request.headers)
  headers.set("host", url.host)
  try {
    return await send(there, { ...request, headers }, name)
  } catch (cause) {
    if (!NOT_CONNECTED.test(String(Object(cause).code))) throw cause
    return send(url, request)
  }
}

const firstIpv4 = (name: string): Promise<string | undefined> =>
  lookup(name, { family: 4 }).then(
    ({ address }) => address,
    () => undefined
  )
