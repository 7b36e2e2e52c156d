/**
 * The standard input and output of this process as a transport. Not the SDK's own, which writes through
 * `process.stdout`: what that has not sent when the process ends is lost.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { jsonText } from "../kernel/readable-text.ts"

export interface StdioServerTransport extends Transport {
  /** Reads until the client closes our input. */
  readonly ended: Promise<void>
}

export interface ServerStreams {
  readonly input: ReadableStream<Uint8Array>
  /** Hands a whole line to the client. */
  readonly send: (line: string) => Promise<void>
}

export const stdioServerTransport = (
  { input, send }: ServerStreams,
  takeLines: (onMessage: (line: string) => void) => (chunk: Uint8Array) => void
): StdioServerTransport => {
  const over = Promise.withResolvers<void>()
  const transport: StdioServerTransport = {
    ended: over.promise,
    start: () => {
      const take = takeLines((line) => receive(transport, line))
      void read(input, take).finally(over.resolve)
      return Promise.resolve()
    },
    send: (message: JSONRPCMessage) => send(`${jsonText(message)}\n`),
    close: () => {
      over.resolve()
      transport.onclose?.()
      return Promise.resolve()
    }
  }
  return transport
}

const receive = (transport: Transport, line: string): void => {
  try {
    transport.onmessage?.(JSON.parse(line))
  } catch (cause) {
    transport.onerror?.(cause instanceof Error ? cause : new Error(String(cause)))
  }
}

const read = async (input: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<void> => {
  for await (const chunk of input) take(chunk)
}
