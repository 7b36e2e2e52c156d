/**
 * Who may talk to a server of this machine: not a page in somebody's browser, whatever name it gave this machine, and
 * nobody without the token where there is one. Pure.
 */
import { timingSafeEqual } from "node:crypto"

export interface GateRules {
  /** Names under which the server is known, without the port. */
  readonly hosts: ReadonlyArray<string>
  /** `undefined`: whoever reaches the port is let in. */
  readonly token: string | undefined
}

export interface Refused {
  readonly status: 401 | 403
  readonly message: string
}

/** `undefined`: let in. `isOpen`: what the request is for may be known to everybody. */
export const refusalOf = (
  headers: Headers,
  { hosts, token }: GateRules,
  { isOpen, port }: { readonly isOpen: boolean; readonly port: number }
): Refused | undefined => {
  const host = headers.get("host")?.toLowerCase() ?? ""
  if (!hosts.some((name) => host === `${name}:${port}` || (port === 80 && host === name))) {
    return { status: 403, message: "this server is not known under that name" }
  }
  if (headers.has("origin")) return { status: 403, message: "requests of web pages are refused" }
  if (isOpen || token === undefined) return undefined
  const given = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? ""
  return isSame(given, token) ? undefined : { status: 401, message: "a bearer token is needed" }
}

/** In the same time, whatever is right about it. */
const isSame = (given: string, token: string): boolean => {
  const [one, other] = [given, token].map((text) => new Bun.CryptoHasher("sha256").update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
