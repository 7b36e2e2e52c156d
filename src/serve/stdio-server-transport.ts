/**
 * The standard input and output of this process as a transport. Not the SDK's own, which writes through
 * `process.stdout`: what that has not sent when the process ends is lost.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

export interface StdioServerTransport extends Transport {
  /** Reads until the client closes our input. */
  readonly ended: Promise<void>
}

export const stdioServerTransport = (
  input: ReadableStream<Uint8Array>,
  takeLines: (onMessage: (line: string) => void) => (chunk: Uint8Array) => void
): StdioServerTransport => {
  const output = Bun.stdout.writer()
  const over = Promise.withResolvers<void>()
  const transport: StdioServerTransport = {
    ended: over.promise,
    start: () => {
      const take = takeLines((line) => receive(transport, line))
      void read(input, take).finally(over.resolve)
      return Promise.resolve()
    },
    send: async (message: JSONRPCMessage) => {
      await output.write(`${JSON.stringify(message)}\n`)
      await output.flush()
    },
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
