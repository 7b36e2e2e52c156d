/** Remote agents that speak gRPC. Loaded only for a card that names it. */
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc"
import { credentials } from "@grpc/grpc-js"

export const grpcTransport = (isSecure: boolean): GrpcTransportFactory =>
  new GrpcTransportFactory({
    grpcChannelCredentials: isSecure ? credentials.createSsl() : credentials.createInsecure(),
    legacyCompat: { enabled: true }
  })
