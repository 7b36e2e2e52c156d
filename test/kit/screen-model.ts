/**
 * What a terminal shows after these characters, as far as line mode may use it: text, line breaks, CR, erase to the end
 * of the line, cursor right, colours; bracketed paste, titles and notifications, which show nothing. Anything else that acts on the screen is an error of the test: nothing above the
 * bottom line may ever be touched.
 */
export interface ScreenModel {
  readonly write: (text: string) => void
  /** All lines, the bottom one last; blanks at their ends removed. */
  readonly lines: () => ReadonlyArray<string>
  /** Of the cursor in the bottom line, in cells. */
  readonly cursor: () => number
}

const CELLS_BEHIND_WIDE = ""

export const screenModel = (columns: number): ScreenModel => {
  const lines: Array<Array<string>> = [[]]
  let cursor = 0
  const bottom = () => lines.at(-1) ?? []
  const newLine = () => {
    lines.push([])
  }

  const put = (character: string): void => {
    const width = Bun.stringWidth(character)
    if (width === 0) {
      const row = bottom()
      row[cursor - 1] = (row[cursor - 1] ?? "") + character
      return
    }
    if (cursor + width > columns) {
      newLine()
      cursor = 0
    }
    const row = bottom()
    while (row.length < cursor) row.push(" ")
    row[cursor] = character
    for (let cell = 1; cell < width; cell += 1) row[cursor + cell] = CELLS_BEHIND_WIDE
    cursor += width
  }

  const sequence = (name: string, parameters: string): void => {
    if (name === "m" || parameters === "?2004") return
    if (name === "K" && parameters === "") bottom().length = Math.min(bottom().length, cursor)
    else if (name === "C") cursor = Math.min(columns - 1, cursor + Math.max(1, Number(parameters)))
    else throw new Error(`line mode must not use CSI ${parameters}${name}`)
  }

  const write = (text: string): void => {
    let rest = text
    while (rest !== "") {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are the subject here.
      const csi = /^\u001b\[([0-?]*)([@-~])/.exec(rest)
      if (csi !== null) {
        sequence(csi[2] ?? "", csi[1] ?? "")
        rest = rest.slice(csi[0].length)
        continue
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
      const title = /^\u001b\][029];[^\u0007]*\u0007/.exec(rest)
      if (title !== null) {
        rest = rest.slice(title[0].length)
        continue
      }
      const [{ segment } = { segment: "" }] = new Intl.Segmenter().segment(rest)
      rest = rest.slice(segment.length)
      if (segment === "\r\n" || segment === "\n") {
        newLine()
        cursor = 0
      } else if (segment === "\r") cursor = 0
      else if (/^\p{Cc}/u.test(segment)) throw new Error(`control character ${JSON.stringify(segment)} on the screen`)
      else put(segment)
    }
  }

  return { write, lines: () => lines.map((row) => row.join("").trimEnd()), cursor: () => cursor }
}
