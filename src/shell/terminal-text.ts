/**
 * What a terminal would show of a byte stream, as lines of plain text: carriage returns and cursor movements overwrite,
 * erasures erase, colours and titles vanish. Progress bars become their last state instead of a hundred copies.
 *
 * Lines are as long as the program wrote them: text is not wrapped at the terminal's width, so there is nothing to join
 * again. The cursor can go back over the last screen only; what has scrolled away is final, as on a real screen.
 */

const SCREEN_ROWS = 30
const MAX_COLUMN = 10_000

// One escape sequence (CSI, OSC and its like, two-character), or one control character, or a run of plain text.
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g

export const terminalText = (bytes: string): string => {
  const screen = new Screen()
  for (const match of bytes.matchAll(TOKEN)) {
    const [token, parameters, final] = match
    if (final !== undefined) screen.control(final, parameters ?? "")
    else if (token.charCodeAt(0) >= 0x20 && token.charCodeAt(0) !== 0x7f) screen.write(token)
    else screen.character(token)
  }
  return screen.text()
}

class Screen {
  private readonly lines: Array<string> = [""]
  private row = 0
  private column = 0

  /** Nothing above this row can be reached by the cursor. */
  private get top(): number {
    return Math.max(0, this.lines.length - SCREEN_ROWS)
  }

  write(text: string): void {
    const line = this.lines[this.row] ?? ""
    // Appending is the common case, and keeps a line of megabytes from being copied for each coloured word.
    if (this.column === line.length) this.lines[this.row] = line + text
    else {
      const before = line.length < this.column ? line.padEnd(this.column) : line.slice(0, this.column)
      this.lines[this.row] = before + text + line.slice(this.column + text.length)
    }
    this.column += text.length
  }

  character(token: string): void {
    if (token === "\n") this.down()
    else if (token === "\r") this.column = 0
    else if (token === "\b") this.column = Math.max(0, this.column - 1)
    else if (token === "\t") this.write(this.atEnd() ? "\t" : " ")
  }

  control(final: string, parameters: string): void {
    const numbers = parameters.split(";").map((text) => Number.parseInt(text, 10))
    const first = numbers[0]
    const count = Math.max(1, first === undefined || Number.isNaN(first) ? 1 : first)
    const mode = first === undefined || Number.isNaN(first) ? 0 : first
    if (final === "A") this.row = Math.max(this.top, this.row - count)
    else if (final === "B") this.row = Math.min(this.lines.length - 1, this.row + count)
    else if (final === "C") this.column = Math.min(MAX_COLUMN, this.column + count)
    else if (final === "D") this.column = Math.max(0, this.column - count)
    else if (final === "E" || final === "F") {
      this.control(final === "E" ? "B" : "A", parameters)
      this.column = 0
    } else if (final === "G") this.column = Math.min(MAX_COLUMN, count - 1)
    else if (final === "H" || final === "f") this.moveTo(count - 1, (numbers[1] ?? 1) - 1)
    else if (final === "K") this.eraseLine(mode)
    else if (final === "J") this.eraseScreen(mode)
  }

  text(): string {
    return this.lines.map((line) => line.trimEnd()).join("\n")
  }

  private atEnd(): boolean {
    return this.column >= (this.lines[this.row] ?? "").length
  }

  private down(): void {
    this.row += 1
    if (this.row === this.lines.length) this.lines.push("")
    this.column = 0
  }

  private moveTo(row: number, column: number): void {
    const target = this.top + Math.min(row, SCREEN_ROWS - 1)
    while (this.lines.length <= target) this.lines.push("")
    this.row = target
    this.column = Number.isNaN(column) ? 0 : Math.min(MAX_COLUMN, Math.max(0, column))
  }

  private eraseLine(mode: number): void {
    const line = this.lines[this.row] ?? ""
    if (mode === 0) this.lines[this.row] = line.slice(0, this.column)
    else if (mode === 1)
      this.lines[this.row] = " ".repeat(Math.min(this.column + 1, line.length)) + line.slice(this.column + 1)
    else if (mode === 2) this.lines[this.row] = ""
  }

  private eraseScreen(mode: number): void {
    if (mode === 0) {
      this.eraseLine(0)
      this.lines.length = this.row + 1
    } else if (mode === 2 || mode === 3) {
      for (let row = this.top; row < this.lines.length; row += 1) this.lines[row] = ""
    }
  }
}
