/**
 * Server-sent events, cut out of text as it arrives. Every character is looked at once, also when one event comes in
 * thousands of pieces. Only the `data` of an event matters to us; comments, names and ids are skipped.
 */

export interface EventSplitter {
  /** The data of every event that this piece completes. */
  readonly push: (piece: string) => ReadonlyArray<string>
  /** At the end of the body: the data of an event that no empty line closed; empty when there is none. */
  readonly rest: () => string
}

export const makeEventSplitter = (): EventSplitter => {
  let lines: Array<string> = []
  let unfinishedLine: Array<string> = []
  let endedInReturn = false

  const takeLine = (line: string, events: Array<string>) => {
    if (line === "") {
      if (lines.length > 0) events.push(lines.join("\n"))
      lines = []
    } else if (line.startsWith("data:")) {
      lines.push(line.slice(line[5] === " " ? 6 : 5))
    }
  }

  /** Line ends may be `\n`, `\r\n` or `\r`, and a piece may end between the two characters of the second. */
  const withPlainLineEnds = (piece: string): string => {
    const text = endedInReturn && piece.startsWith("\n") ? piece.slice(1) : piece
    endedInReturn = piece.endsWith("\r")
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text
  }

  /** Nearly all lines come whole. */
  const lineWith = (end: string): string => {
    if (unfinishedLine.length === 0) return end
    const line = [...unfinishedLine, end].join("")
    unfinishedLine = []
    return line
  }

  return {
    push: (piece) => {
      if (piece === "") return []
      const text = withPlainLineEnds(piece)
      const events: Array<string> = []
      let start = 0
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        takeLine(lineWith(text.slice(start, end)), events)
        start = end + 1
      }
      if (start < text.length) unfinishedLine.push(text.slice(start))
      return events
    },
    rest: () => {
      const events: Array<string> = []
      takeLine(unfinishedLine.join(""), events)
      takeLine("", events)
      return events.join("")
    }
  }
}
