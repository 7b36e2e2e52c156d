/**
 * Remote agents that speak gRPC. Loaded only for a card that names it. The SDK signs nothing here and knows addresses
 * only without a scheme: both are done around its transport.
 */
import type { Transport, TransportFactory } from "@a2a-js/sdk/client"
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc"
import { credentials, status } from "@grpc/grpc-js"
import { Predicate } from "effect"
import { type GrpcPlace, grpcPlace } from "./grpc-place.ts"
import { MAX_RENEWALS, type Signing } from "./remote-fetch.ts"

export const grpcTransport = (signing: Signing, options: { readonly hasAuth: boolean }): TransportFactory => ({
  protocolName: "GRPC",
  create: async (url, card) => {
    const place = grpcPlace(url, options)
    const factory = new GrpcTransportFactory({
      grpcChannelCredentials: place.isSecure ? credentials.createSsl() : credentials.createInsecure(),
      legacyCompat: { enabled: true }
    })
    // The version of the protocol is looked up by the address.
    const supportedInterfaces = card.supportedInterfaces.map((one) =>
      one.url === url ? { ...one, url: place.target } : one
    )
    return signed(await factory.create(place.target, { ...card, supportedInterfaces }), place, signing)
  }
})

/** Only messages are sent; everything else stays as the SDK has it. */
const signed = (transport: Transport, { url }: GrpcPlace, { headers, renew }: Signing): Transport => {
  const withHeaders = async (options: Options): Promise<Options> => ({
    ...options,
    serviceParameters: { ...options?.serviceParameters, ...(await headers(url, options?.signal)) }
  })
  const mayRetry = async (cause: unknown, renewals: number, options: Options) =>
    isRefusal(cause) && renewals < MAX_RENEWALS && (await renew(url, options?.signal))
  const own: Pick<Transport, "sendMessage" | "sendMessageStream"> = {
    sendMessage: async (params, options) => {
      for (let renewals = 0; ; renewals++) {
        try {
          return await transport.sendMessage(params, await withHeaders(options))
        } catch (cause) {
          if (!(await mayRetry(cause, renewals, options))) throw cause
        }
      }
    },
    sendMessageStream: async function* (params, options) {
      for (let renewals = 0; ; renewals++) {
        let hasBegun = false
        try {
          for await (const update of transport.sendMessageStream(params, await withHeaders(options))) {
            hasBegun = true
            yield update
          }
          return
        } catch (cause) {
          if (hasBegun || !(await mayRetry(cause, renewals, options))) throw cause
        }
      }
    }
  }
  return Object.assign(Object.create(transport), own)
}

type Options = Parameters<Transport["sendMessage"]>[1]

const isRefusal = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "status") &&
  (cause.status === status.UNAUTHENTICATED || cause.status === status.PERMISSION_DENIED)
