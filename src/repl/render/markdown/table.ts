/** A finished table of markdown as a framed one that fits the window. */

export interface TableStyle {
  readonly columns: number
  /** Neither colours nor characters beyond ASCII. */
  readonly isPlain: boolean
}

/** The rows as they were written, the divider among them. */
export const tableLines = (rows: ReadonlyArray<string>, { columns, isPlain }: TableStyle): ReadonlyArray<string> =>
  Bun.markdown
    .ansi(`${rows.join("\n").replaceAll("&", AMPERSAND)}\n`, {
      colors: !isPlain,
      columns: columns - 1,
      hyperlinks: false,
      kittyGraphics: false
    })
    .replaceAll(AMPERSAND, "&")
    .trimEnd()
    .split("\n")

/** Entities such as `&#27;` would come out as the control characters that were taken out of the text before. */
const AMPERSAND = "\ue026"
