/**
 * A small HTTP proxy on loopback: forwards plain requests, opens tunnels for CONNECT, or refuses both. Keeps the lines
 * that it was asked for, so that a test can tell a proxied request from a direct one.
 */
import { once } from "node:events"
import { createServer, request as forward } from "node:http"
import { type AddressInfo, connect } from "node:net"

export interface ProxyServer extends AsyncDisposable {
  readonly url: string
  /** `POST http://host/path` or `CONNECT host:port`, in order. */
  readonly asked: ReadonlyArray<string>
  /** The `proxy-authorization` header of each, where one came. */
  readonly credentials: ReadonlyArray<string>
}

export interface ProxyOptions {
  /** Refuses everything with this status. */
  readonly refuse?: number
  /** Ports on loopback that stand for hosts of the internet, by `host:port`. */
  readonly standIns?: Readonly<Record<string, number>>
}

export const startProxy = async (options: ProxyOptions = {}): Promise<ProxyServer> => {
  const asked: Array<string> = []
  const credentials: Array<string> = []
  const note = (line: string, authorization: string | undefined) => {
    asked.push(line)
    if (authorization !== undefined) credentials.push(authorization)
  }

  const server = createServer((incoming, outgoing) => {
    note(`${incoming.method} ${incoming.url}`, incoming.headers["proxy-authorization"])
    if (options.refuse !== undefined) {
      outgoing.writeHead(options.refuse, { "content-type": "text/html" })
      return void outgoing.end("<html><body>Access to this site is blocked by policy.</body></html>")
    }
    const { "proxy-authorization": _, ...headers } = incoming.headers
    const upstream = forward(incoming.url ?? "", { method: incoming.method ?? "GET", headers })
    upstream.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    upstream.on("error", () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  server.on("connect", (incoming, client) => {
    note(`CONNECT ${incoming.url}`, incoming.headers["proxy-authorization"])
    if (options.refuse !== undefined) return void client.end(`HTTP/1.1 ${options.refuse} Refused\r\n\r\n`)
    const [host = "127.0.0.1", port = "443"] = (incoming.url ?? "").split(":")
    const standIn = options.standIns?.[incoming.url ?? ""]
    const upstream = connect(standIn ?? Number(port), standIn === undefined ? host : "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      upstream.pipe(client)
      client.pipe(upstream)
    })
    upstream.on("error", () => client.destroy())
    client.on("error", () => upstream.destroy())
  })

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    credentials,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
