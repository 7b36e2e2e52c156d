/** What a client of our proxy says: read strictly, and no further than what was decided about. */
import { describe, expect, test } from "bun:test"
import { type BodyFraming, bodyReader, readWish } from "./proxy-dialogue.ts"

const wishOf = (head: string) => readWish(Buffer.from(`${head.replaceAll("\n", "\r\n")}\r\n\r\n`, "latin1"), "start")

describe("a request", () => {
  test.each<[string, BodyFraming | "Bad"]>([
    ["GET http://a.example/ HTTP/1.1", { bytes: 0 }],
    ["POST http://a.example/ HTTP/1.1\nContent-Length: 12", { bytes: 12 }],
    ["POST http://a.example/ HTTP/1.1\nTransfer-Encoding:  Chunked ", "chunked"],
    ["CONNECT a.example:443 HTTP/1.1", "all"],
    ["POST http://a.example/ HTTP/1.1\nContent-Length: 1\nContent-Length: 1", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nContent-Length: 1\nTransfer-Encoding: chunked", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nTransfer-Encoding: gzip, chunked", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nTransfer-Encoding: xchunked", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nContent-Length: +1", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nContent-Length: 1, 1", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nContent-Length : 1", "Bad"],
    ["POST http://a.example/ HTTP/1.1\nX: y\n Content-Length: 1", "Bad"],
    ["GET http://user@a.example/ HTTP/1.1", "Bad"],
    ["GET https://a.example/ HTTP/1.1", "Bad"],
    ["GET /relative HTTP/1.1", "Bad"],
    ["GET http://a.example/ HTTP/2", "Bad"],
    ["GET  http://a.example/ HTTP/1.1", "Bad"]
  ])("%p has the body %p", (head, body) => {
    const wish = wishOf(head)
    expect(wish._tag === "Connect" ? wish.body : wish._tag).toEqual(body)
  })

  test("asks for no other protocol in the same connection", () => {
    const wish = wishOf("GET http://a.example/x HTTP/1.1\nHost: b.example\nUpgrade: websocket\nConnection: upgrade")
    expect(wish).toMatchObject({
      host: "a.example",
      head: "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"
    })
  })
})

const SECOND = "GET http://b.example/ HTTP/1.1\r\n\r\n"

describe("what belongs to it", () => {
  const rows: ReadonlyArray<[BodyFraming, string]> = [
    [{ bytes: 0 }, ""],
    [{ bytes: 5 }, "12345"],
    ["chunked", "0\r\n\r\n"],
    ["chunked", "5\r\n12345\r\nA\r\n1234567890\r\n0\r\n\r\n"],
    ["chunked", "2\r\n\r\n\r\n0\r\nX: y\r\n\r\n"]
  ]
  test.each(rows)("%p: %p and not what follows, however it is cut", (framing, body) => {
    const sent = Buffer.from(body + SECOND)
    for (let size = 1; size <= sent.length; size++) {
      const read = bodyReader(framing)
      let taken = ""
      for (let at = 0, isOver = false; at < sent.length && !isOver; at += size) {
        const part = sent.subarray(at, at + size)
        const { own, isOver: ended } = read(part)
        taken += part.subarray(0, own).toString()
        isOver = ended
      }
      expect(taken).toBe(body)
    }
  })

  test.each([
    "5;x=y\r\n12345\r\n0\r\n\r\n",
    "5\n12345\r\n0\r\n\r\n",
    "0x5\r\n12345\r\n",
    " 5\r\n12345\r\n",
    "5\r\n12345\n0\r\n\r\n",
    "5\r\n1234567\r\n"
  ])("%p ends it: another reader could take it for something else", (body) => {
    const bytes = Buffer.from(body + SECOND)
    const { isOver, own } = bodyReader("chunked")(bytes)
    expect(isOver).toBe(true)
    expect(bytes.subarray(0, own).toString()).not.toContain("GET")
  })

  test("everything, in a tunnel", () => {
    expect(bodyReader("all")(Buffer.from(SECOND))).toEqual({ own: SECOND.length, isOver: false })
  })
})
