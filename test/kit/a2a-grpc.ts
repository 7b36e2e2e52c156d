/** A remote agent for tests over gRPC, served by the SDK itself; with a certificate, over TLS. Its card is on HTTP. */

import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server"
import { A2AService, grpcService, UserBuilder } from "@a2a-js/sdk/server/grpc"
import {
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  status
} from "@grpc/grpc-js"
import { card, executor, modernCard, type Received } from "./a2a-agent.ts"
import type { A2aOptions, A2aServer } from "./a2a-server.ts"
import type { Certificate } from "./certificate.ts"

export interface GrpcOptions extends Pick<A2aOptions, "accepts"> {
  readonly tls?: Pick<Certificate, "key" | "certificate">
}

export const startGrpcAgent = async ({ accepts = () => true, tls }: GrpcOptions = {}): Promise<A2aServer> => {
  const received: Array<Received> = []
  const authorizations: Array<string> = []
  const server = new Server({
    interceptors: [
      guarding((metadata) => {
        const authorization = String(metadata.get("authorization")[0] ?? "")
        authorizations.push(authorization)
        return accepts(authorization)
      })
    ]
  })
  const place = modernCard("unused", "GRPC")
  const requestHandler = new DefaultRequestHandler(place, new InMemoryTaskStore(), executor(received))
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.certificate }])
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)))
  )
  // A certificate is asked for by name.
  const url = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`
  const cards = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json(card(url, { binding: "GRPC", version: "1.0" }))
  })
  return {
    url,
    port,
    cardUrl: cards.url.href,
    received,
    authorizations,
    [Symbol.asyncDispose]: async () => {
      server.forceShutdown()
      await cards.stop(true)
    }
  }
}

const guarding =
  (isLetIn: (metadata: Metadata) => boolean): ServerInterceptor =>
  (_, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            if (isLetIn(metadata)) pass(metadata)
            else call.sendStatus({ code: status.UNAUTHENTICATED, details: "who are you?" })
          }
        })
    })
