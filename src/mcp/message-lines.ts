/**
 * Cuts the output of a server into messages: one JSON object a line. Programs print banners and log lines where only
 * messages belong; such lines are handed out as noise. A line that never ends is bounded.
 */
export interface MessageSink {
  /** A line that begins like a JSON object. */
  readonly onMessage: (line: string) => void
  readonly onNoise: (line: string) => void
  /** A line grew beyond the limit. Nothing more is handed out after it. */
  readonly onTooLong: () => void
}

/** Larger than any sensible result, small enough to be held twice. */
export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024

const NEWLINE = 10

/** Takes the output chunk by chunk. */
export const messageLines = (sink: MessageSink, limit = MAX_MESSAGE_BYTES): ((chunk: Uint8Array) => void) => {
  let pieces: Array<Uint8Array> = []
  let length = 0
  let isOver = false

  const endLine = (): void => {
    const line = Buffer.concat(pieces).toString("utf8").trim()
    pieces = []
    length = 0
    if (line === "") return
    if (line.startsWith("{")) sink.onMessage(line)
    else sink.onNoise(line)
  }

  const add = (piece: Uint8Array): void => {
    length += piece.length
    if (length <= limit) return void pieces.push(piece)
    isOver = true
    pieces = []
    sink.onTooLong()
  }

  return (chunk) => {
    let start = 0
    while (!isOver && start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start)
      add(chunk.subarray(start, end === -1 ? chunk.length : end))
      if (end === -1 || isOver) return
      endLine()
      start = end + 1
    }
  }
}
