/** A name server on UDP, for names that mean something else from one question to the next. */

export interface NameServer extends Disposable {
  /** Names whose IPv4 addresses were asked for, in order. */
  readonly asked: ReadonlyArray<string>
}

/** `addresses`: for each name what the first, the second, ... question gets; the last one stays. */
export const startNameServer = async (
  addresses: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>,
  port = 53
): Promise<NameServer> => {
  const asked: Array<string> = []
  const socket = await Bun.udpSocket({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (own, question, from, address) => {
        const { end, name, type } = questionIn(question)
        const isV4 = type === A
        if (isV4) asked.push(name)
        const turn = asked.filter((one) => one === name).length - 1
        const turns = addresses[name]
        const found = isV4 ? (turns?.[Math.min(turn, turns.length - 1)] ?? []) : []
        own.send(answerTo(question.subarray(0, end), found, turns !== undefined), from, address)
      }
    }
  })
  return { asked, [Symbol.dispose]: () => socket.close() }
}

const A = 1
const HEADER_BYTES = 12

const questionIn = (message: Buffer) => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** Nothing may be kept: every question is asked anew. */
const answerTo = (question: Buffer, addresses: ReadonlyArray<string>, isKnown: boolean): Buffer => {
  const head = Buffer.from(question)
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.fill(0, 8, HEADER_BYTES)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)])
  )
  return Buffer.concat([head, ...records])
}
