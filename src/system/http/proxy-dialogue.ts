/**
 * What a client says to a proxy before bytes flow: HTTP (`CONNECT`, or a whole address) and SOCKS 5, told apart by the
 * first byte. Pure. Strict: a head that two readers could read in two ways is refused, not mended.
 */

export type Wished =
  /** `before`: the last answer before bytes flow. `head`: what the other side gets first. `length`: bytes read. */
  | {
      readonly _tag: "Connect"
      readonly how: "tunnel" | "request"
      readonly host: string
      readonly port: number
      readonly answers: ProxyAnswers
      readonly head: string
      /** What may follow from the client. */
      readonly body: BodyFraming
      readonly length: number
    }
  /** Say this, and go on listening. */
  | { readonly _tag: "Reply"; readonly bytes: Uint8Array; readonly length: number; readonly next: "socks" }
  | { readonly _tag: "More" }
  | { readonly _tag: "Bad"; readonly bytes: Uint8Array }

/** `all`: a tunnel, of which nobody knows what is in it. Else the body of the one request. */
export type BodyFraming = "all" | "chunked" | { readonly bytes: number }

export interface ProxyAnswers {
  readonly connected: Uint8Array
  readonly refused: (why: string) => Uint8Array
  readonly failed: (why: string) => Uint8Array
}

export type DialogueStage = "start" | "socks"

const LONGEST_HEAD = 64 * 1024
const SOCKS = 5

export const readWish = (bytes: Uint8Array, stage: DialogueStage): Wished => {
  if (bytes.length === 0) return { _tag: "More" }
  if (stage === "socks") return socksRequest(bytes)
  return bytes[0] === SOCKS ? socksGreeting(bytes) : httpRequest(bytes)
}

const text = (value: string): Uint8Array => Buffer.from(value, "latin1")

const page = (status: string, why: string): Uint8Array =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(`${why}\n`)}\r\nConnection: close\r\n\r\n${why}\n`
  )

const HTTP: ProxyAnswers = {
  connected: text("HTTP/1.1 200 Connection established\r\n\r\n"),
  refused: (why) => page("403 Forbidden", why),
  failed: (why) => page("502 Bad Gateway", why)
}
const NOTHING = new Uint8Array()

const bad = (why: string): Wished => ({ _tag: "Bad", bytes: page("400 Bad Request", why) })

const httpRequest = (bytes: Uint8Array): Wished => {
  const received = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return received.length > LONGEST_HEAD ? bad("the head is too long") : { _tag: "More" }
  const [first = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n")
  const [, method = "", target = ""] = /^([A-Z]{1,20}) ([!-~]+) HTTP\/1\.[01]$/.exec(first) ?? []
  if (method === "") return bad("this is no request")
  if (!lines.every((line) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\0\n\r]*$/.test(line))) return bad("a header is malformed")
  const length = end + 4
  if (method === "CONNECT") {
    const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(target) ?? []
    if (host === "") return bad("CONNECT needs host:port")
    return { _tag: "Connect", how: "tunnel", host, port: Number(port), answers: HTTP, head: "", body: "all", length }
  }
  return plainRequest({ method, target, lines, length })
}

/** One request for one host: the connection ends after it, so that each is decided about. */
const plainRequest = (request: {
  readonly method: string
  readonly target: string
  readonly lines: ReadonlyArray<string>
  readonly length: number
}): Wished => {
  const { length, lines, method, target } = request
  const [, authority = "", path = ""] = /^http:\/\/([^/?#]+)([^#]*)$/i.exec(target) ?? []
  const [, host = "", port = "80"] = /^([^@]+?)(?::(\d{1,5}))?$/.exec(authority) ?? []
  if (host === "") return bad("a proxy takes http:// addresses and CONNECT")
  const kept = lines.filter((line) => !/^(?:host|connection|keep-alive|upgrade|proxy-[a-z-]+):/i.test(line))
  const framing = kept.filter((line) => /^(?:content-length|transfer-encoding):/i.test(line))
  if (framing.length > 1) return bad("the length is said twice")
  const body = framingOf(framing[0] ?? "content-length: 0")
  if (body === undefined) return bad("the length cannot be read")
  const head = [
    `${method} ${path.startsWith("/") ? path : `/${path}`} HTTP/1.1`,
    `Host: ${authority}`,
    ...kept,
    "Connection: close"
  ]
  const answers = { ...HTTP, connected: NOTHING }
  return {
    _tag: "Connect",
    how: "request",
    host,
    port: Number(port),
    answers,
    head: `${head.join("\r\n")}\r\n\r\n`,
    body,
    length
  }
}

const framingOf = (line: string): BodyFraming | undefined => {
  if (/^transfer-encoding:[ \t]*chunked[ \t]*$/i.test(line)) return "chunked"
  const [, length] = /^content-length:[ \t]*(\d{1,15})[ \t]*$/i.exec(line) ?? []
  return length === undefined ? undefined : { bytes: Number(length) }
}

/**
 * Takes what a client sends behind its request and gives back how much of it belongs to that. A second request in the same
 * connection would be one that nobody decided about, and a proxy further on might take it for another host.
 */
export const bodyReader = (
  framing: BodyFraming
): ((bytes: Uint8Array) => { readonly own: number; readonly isOver: boolean }) => {
  if (framing === "all") return (bytes) => ({ own: bytes.length, isOver: false })
  if (framing === "chunked") return chunkReader()
  let left = framing.bytes
  return (bytes) => {
    const own = Math.min(left, bytes.length)
    left -= own
    return { own, isOver: left === 0 }
  }
}

/**
 * A line of a size, so many bytes, an empty line; the last size is zero, and lines may follow until an empty one. What could
 * be read in another way ends it.
 */
const chunkReader = () => {
  let line = ""
  let left = 0
  let place: "size" | "data" | "behind" | "trailer" | "over" = "size"
  const afterLine = (ended: string): typeof place => {
    switch (place) {
      case "size":
        if (!/^[0-9a-f]{1,8}$/i.test(ended)) return "over"
        left = Number.parseInt(ended, 16)
        return left === 0 ? "trailer" : "data"
      case "behind":
        return ended === "" ? "size" : "over"
      case "trailer":
        return ended === "" ? "over" : /^[!-9;-~]+:[^\0\r\n]*$/.test(ended) ? "trailer" : "over"
      case "data":
      case "over":
        return place
    }
  }
  return (bytes: Uint8Array) => {
    let at = 0
    while (at < bytes.length && place !== "over") {
      if (place === "data") {
        const taken = Math.min(left, bytes.length - at)
        left -= taken
        at += taken
        if (left === 0) place = "behind"
        continue
      }
      line += String.fromCharCode(bytes[at++] ?? 0)
      if (line.endsWith("\n")) {
        place = line.endsWith("\r\n") ? afterLine(line.slice(0, -2)) : "over"
        line = ""
      } else if (line.length > LONGEST_LINE) place = "over"
    }
    return { own: at, isOver: place === "over" }
  }
}

const LONGEST_LINE = 8192

const NO_PASSWORD = 0

const socksGreeting = (bytes: Uint8Array): Wished => {
  const count = bytes[1]
  if (count === undefined || bytes.length < 2 + count) return { _tag: "More" }
  return bytes.subarray(2, 2 + count).includes(NO_PASSWORD)
    ? { _tag: "Reply", bytes: Uint8Array.of(SOCKS, NO_PASSWORD), length: 2 + count, next: "socks" }
    : { _tag: "Bad", bytes: Uint8Array.of(SOCKS, 0xff) }
}

const socksAnswer = (code: number): Uint8Array => Uint8Array.of(SOCKS, code, 0, 1, 0, 0, 0, 0, 0, 0)
const SOCKS_ANSWERS: ProxyAnswers = {
  connected: socksAnswer(0),
  refused: () => socksAnswer(2),
  failed: () => socksAnswer(4)
}

const CONNECT = 1
const ADDRESS = { v4: 1, name: 3, v6: 4 }

const socksRequest = (bytes: Uint8Array): Wished => {
  if (bytes.length < 5) return { _tag: "More" }
  const [version, command, , kind, size = 0] = bytes
  if (version !== SOCKS) return { _tag: "Bad", bytes: socksAnswer(1) }
  if (command !== CONNECT) return { _tag: "Bad", bytes: socksAnswer(7) }
  const span = kind === ADDRESS.v4 ? 4 : kind === ADDRESS.v6 ? 16 : kind === ADDRESS.name ? 1 + size : undefined
  if (span === undefined) return { _tag: "Bad", bytes: socksAnswer(8) }
  const length = 4 + span + 2
  if (bytes.length < length) return { _tag: "More" }
  const address = bytes.subarray(4, 4 + span)
  const host =
    kind === ADDRESS.name
      ? new TextDecoder().decode(address.subarray(1))
      : kind === ADDRESS.v4
        ? address.join(".")
        : `[${Buffer.from(address)
            .toString("hex")
            .replace(/(.{4})(?=.)/g, "$1:")}]`
  const port = (bytes[length - 2] ?? 0) * 256 + (bytes[length - 1] ?? 0)
  return { _tag: "Connect", how: "tunnel", host, port, answers: SOCKS_ANSWERS, head: "", body: "all", length }
}
