/**
 * A proxy on a socket in the file system, for programs that have no network of their own: it connects to where it is
 * allowed to, and to nothing else. Names are resolved here, so that what was decided about is what is connected to.
 */
import { connect, createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import { proxyFor } from "./proxy.ts"
import { bodyReader, type DialogueStage, readWish, type Wished } from "./proxy-dialogue.ts"
import { addressesOf, isOwnAddress } from "./public-address.ts"

export type ProxyVerdict =
  | { readonly host: string; readonly port: number; readonly isOwnMachine: boolean }
  | { readonly refused: string }

export interface FilteringProxyOptions {
  /** Path of the socket. */
  readonly socket: string
  readonly decide: (host: string, port: number) => ProxyVerdict
  /** A refusal; the text that the client is told. */
  readonly onRefused: (host: string, port: number, why: string) => string
  /** Where a proxy stands between this machine and the net, it is used. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Fails with a reason. Its connections end with the scope. */
export const serveFilteringProxy = (options: FilteringProxyOptions): Effect.Effect<void, string, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<() => void, string>((resume) => {
      const open = new Set<Socket>()
      const server = createServer({ allowHalfOpen: true }, (client) => {
        open.add(client)
        client.on("close", () => open.delete(client))
        attend(client, options)
      })
      server.on("error", (error) => resume(Effect.fail(messageOf(error))))
      server.listen(options.socket, () =>
        resume(
          Effect.succeed(() => {
            server.close()
            for (const client of open) client.destroy()
          })
        )
      )
    }),
    (close) => Effect.sync(close)
  )

const attend = (client: Socket, options: FilteringProxyOptions): void => {
  let received: Buffer = Buffer.alloc(0)
  let stage: DialogueStage = "start"
  client.on("error", () => client.destroy())
  const listen = (bytes: Buffer): void => {
    received = Buffer.concat([received, bytes])
    for (;;) {
      const wished = readWish(received, stage)
      if (wished._tag === "More") return
      if (wished._tag === "Bad") {
        client.off("data", listen)
        return void client.end(wished.bytes)
      }
      received = received.subarray(wished.length)
      if (wished._tag === "Connect") {
        client.off("data", listen)
        client.pause()
        return void join(client, wished, received, options)
      }
      client.write(wished.bytes)
      stage = wished.next
    }
  }
  client.on("data", listen)
}

const join = async (
  client: Socket,
  wish: Extract<Wished, { readonly _tag: "Connect" }>,
  rest: Uint8Array,
  options: FilteringProxyOptions
): Promise<void> => {
  const refuse = (why: string): void =>
    void client.end(wish.answers.refused(options.onRefused(wish.host, wish.port, why)))
  const verdict = options.decide(wish.host, wish.port)
  if ("refused" in verdict) return refuse(verdict.refused)
  try {
    const place = await placeOf(verdict, wish, options)
    if (place === undefined) return refuse("the name leads to this machine or its link")
    const far = await connected(place)
    if (client.destroyed) return void far.destroy()
    far.on("error", () => client.destroy())
    client.on("close", () => far.destroy())
    far.on("close", () => client.destroySoon())
    if (place.before !== "") await saidYes(far, place.before)
    if (wish.answers.connected.length > 0) client.write(wish.answers.connected)
    if (wish.head !== "")
      far.write(place.through === undefined ? wish.head : throughProxy(wish.head, verdict, place.through))
    handOn(rest, client, far, bodyReader(wish.body))
    far.pipe(client)
    client.resume()
  } catch (cause) {
    client.end(wish.answers.failed(`cannot connect to ${verdict.host}:${verdict.port}: ${messageOf(cause)}`))
  }
}

/** From the client to the other side, as far as it belongs to what was decided about. The rest is dropped. */
const handOn = (first: Uint8Array, client: Socket, far: Socket, read: ReturnType<typeof bodyReader>): void => {
  let isOver = false
  const take = (bytes: Uint8Array): void => {
    if (isOver) return
    const taken = read(bytes)
    isOver = taken.isOver
    if (taken.own > 0 && !far.write(bytes.subarray(0, taken.own))) {
      client.pause()
      far.once("drain", () => client.resume())
    }
  }
  take(first)
  client.on("data", take)
  client.on("end", () => far.end())
}

interface Place {
  readonly hosts: ReadonlyArray<string>
  readonly port: number
  /** Said to a proxy in between, which has to agree before anything else. */
  readonly before: string
  /** The proxy that takes whole addresses. */
  readonly through: URL | undefined
}

type Allowed = Exclude<ProxyVerdict, { readonly refused: string }>

/** `undefined`: the name leads where no name of a list may lead. */
const placeOf = async (
  { host, isOwnMachine, port }: Allowed,
  { how }: Extract<Wished, { readonly _tag: "Connect" }>,
  { variables }: FilteringProxyOptions
): Promise<Place | undefined> => {
  const proxy = proxyFor(new URL(`${how === "tunnel" ? "https" : "http"}://${host}:${port}/`), variables)
  const between = proxy === undefined ? null : URL.parse(proxy)
  if (between !== null && !isOwnMachine) {
    const before = `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${credentialsOf(between)}\r\n`
    return {
      hosts: [between.hostname.replace(/^\[|\]$/g, "")],
      port: Number(between.port || 80),
      before: how === "tunnel" ? before : "",
      through: how === "tunnel" ? undefined : between
    }
  }
  const hosts = await addressesOf(host)
  return isOwnMachine || !hosts.some(isOwnAddress) ? { hosts, port, before: "", through: undefined } : undefined
}

const credentialsOf = ({ password, username }: URL): string =>
  username === ""
    ? ""
    : `Proxy-Authorization: Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}\r\n`

const throughProxy = (head: string, { host, port }: Allowed, proxy: URL): string =>
  head.replace(
    /^([A-Z]+) (\S+)(.*\r\n)/,
    (_, method, path, end) => `${method} http://${host}:${port}${path}${end}${credentialsOf(proxy)}`
  )

const CONNECTED_WITHIN_MS = 15_000

const connected = async ({ hosts, port }: Place): Promise<Socket> => {
  let last: unknown = new Error("the name has no address")
  for (const host of hosts) {
    try {
      return await connectedTo(host, port)
    } catch (cause) {
      last = cause
    }
  }
  throw last
}

const connectedTo = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    socket.setTimeout(CONNECTED_WITHIN_MS, () => fail(new Error("no answer")))
    socket.once("error", fail)
    socket.once("connect", () => {
      socket.setTimeout(0)
      socket.off("error", fail)
      resolve(socket)
    })
  })

/** Reads the proxy's answer, and no byte beyond it. */
const saidYes = (far: Socket, before: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let heard = Buffer.alloc(0)
    const listen = (bytes: Buffer): void => {
      heard = Buffer.concat([heard, bytes])
      const end = heard.indexOf("\r\n\r\n")
      if (end < 0) return
      far.off("data", listen)
      far.pause()
      if (heard.length > end + 4) far.unshift(heard.subarray(end + 4))
      const status = heard.subarray(0, heard.indexOf("\r\n")).toString("latin1")
      if (/^HTTP\/1\.[01] 2\d\d/.test(status)) resolve()
      else reject(new Error(`the proxy of this machine answered ${status}`))
    }
    far.on("data", listen)
    far.once("close", () => reject(new Error("the proxy of this machine closed the connection")))
    far.write(before)
  })
