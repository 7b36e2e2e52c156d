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
  /** The data of the event under way. */
  let data: string | undefined
  let unfinishedLine: Array<string> = []
  let endedInReturn = false

  const takeLine = (line: string, events: Array<string>) => {
    if (line === "") {
      if (data !== undefined) events.push(data)
      data = undefined
    } else if (line.startsWith("data:")) {
      const added = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5)
      data = data === undefined ? added : `${data}\n${added}`
    }
  }

  /** Lines of the piece under way; all but the first are whole. */
  const lineWith = (end: string): string => {
    if (unfinishedLine.length === 0) return end
    const line = [...unfinishedLine, end].join("")
    unfinishedLine = []
    return line
  }

  return {
    push: (piece) => {
      const events: Array<string> = []
      if (piece === "") return events
      // A piece may end between the two characters of a line end.
      let start = endedInReturn && piece.startsWith("\n") ? 1 : 0
      endedInReturn = piece.endsWith("\r")
      const lineEnds = new LineEnds(piece)
      for (let end = lineEnds.next(start); end !== -1; end = lineEnds.next(start)) {
        const isWhole = data === undefined && unfinishedLine.length === 0 && piece.startsWith("data: ", start)
        const next = lineEnds.after(end)
        const afterEmpty = isWhole ? lineEnds.afterEmptyLine(next) : -1
        if (afterEmpty !== -1) {
          // Nearly all events are one line of data: they are cut out of the piece at once.
          events.push(piece.slice(start + 6, end))
          start = afterEmpty
        } else {
          takeLine(lineWith(piece.slice(start, end)), events)
          start = next
        }
      }
      if (start < piece.length) unfinishedLine.push(piece.slice(start))
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

const SPACE = 0x20
const FEED = 0x0a
const RETURN = 0x0d

/** Where lines end: before `\n`, `\r\n` or `\r`. To be asked in order, so that nothing is searched twice. */
class LineEnds {
  private feed = -2
  private return = -2
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The end of the line that begins here; -1: not in this text. */
  next(start: number): number {
    if (this.feed !== -1 && this.feed < start) this.feed = this.text.indexOf("\n", start)
    if (this.return !== -1 && this.return < start) this.return = this.text.indexOf("\r", start)
    if (this.feed === -1) return this.return
    return this.return === -1 || this.feed < this.return ? this.feed : this.return
  }

  /** Where the line behind an empty one begins; -1: another line begins here, or nothing that can be told yet. */
  afterEmptyLine(start: number): number {
    const code = this.text.charCodeAt(start)
    return code === FEED || (code === RETURN && start + 1 < this.text.length) ? this.after(start) : -1
  }

  /** Where the line behind this end begins. */
  after(end: number): number {
    return this.text.charCodeAt(end) === RETURN && this.text.charCodeAt(end + 1) === FEED ? end + 2 : end + 1
  }
}
