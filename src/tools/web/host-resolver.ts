/**
 * From the host of a URL to the addresses that may be connected to. Names are judged twice: by what they say, and by
 * where they lead. The connection is then made to the address that was judged, so that a name which changes its answer
 * between the two gains nothing.
 */
import { Context, Effect, Layer } from "effect"
import { addressesOf, isAddress, isPublicAddress } from "../../system/http/public-address.ts"
import { hostOf } from "../../system/http/web-url.ts"
import { WebError } from "./web-error.ts"

export class HostResolver extends Context.Tag("agent/tools/HostResolver")<
  HostResolver,
  {
    /** Never empty. Fails with `blocked` for hosts that are not public, with `unresolved` for names without address. */
    readonly resolve: (url: URL) => Effect.Effect<ReadonlyArray<string>, WebError>
  }
>() {}

export interface ResolverOptions {
  readonly lookup: (name: string) => Promise<ReadonlyArray<string>>
  /** Judges addresses that names lead to; literal ones are always judged by the public ranges. */
  readonly isAllowed: (address: string) => boolean
}

const TIMEOUT = "5 seconds"

export const layerWith = (options: ResolverOptions) =>
  Layer.succeed(HostResolver, {
    resolve: Effect.fn("HostResolver.resolve")(function* (url) {
      const host = hostOf(url)
      const refusal = nameRefusal(host)
      if (refusal !== undefined) return yield* new WebError({ kind: "blocked", url: url.href, detail: refusal })
      if (isAddress(host)) return [host]
      const unresolved = (detail: string) => new WebError({ kind: "unresolved", url: url.href, detail })
      const addresses = yield* Effect.tryPromise({
        try: () => options.lookup(host),
        catch: () => unresolved(`the name ${host} has no address`)
      }).pipe(
        Effect.timeoutFail({ duration: TIMEOUT, onTimeout: () => unresolved(`looking up ${host} took too long`) })
      )
      if (addresses.length === 0) return yield* unresolved(`the name ${host} has no address`)
      // One private answer is enough: a mixed set is how such checks are got around.
      const hidden = addresses.find((address) => !options.isAllowed(address))
      if (hidden === undefined) return addresses
      return yield* new WebError({
        kind: "blocked",
        url: url.href,
        detail: `${host} leads to ${hidden}, which is not a public address`
      })
    })
  })

export const layer = layerWith({
  lookup: addressesOf,
  isAllowed: isPublicAddress
})

/** Names that only a private network answers for: what stands behind a proxy might know them. */
const PRIVATE_SUFFIXES = [
  ...[".localhost", ".local", ".internal", ".localdomain", ".home.arpa", ".onion"],
  ...[".lan", ".home", ".corp", ".intranet", ".private", ".in-addr.arpa", ".ip6.arpa"]
]

/** What a name alone says; `undefined`: it may be looked up. */
const nameRefusal = (host: string): string | undefined => {
  if (isAddress(host)) return isPublicAddress(host) ? undefined : `${host} is not a public address`
  if (host.split(".").includes("")) return `${host} is not the name of a host`
  if (!host.includes(".") || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix))) {
    return `${host} is a name of a private network`
  }
  return undefined
}
