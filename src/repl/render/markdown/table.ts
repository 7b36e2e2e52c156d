/** A finished table of markdown as a framed one that fits the window. */

/** The rows as they were written, the divider among them. */
export const tableLines = (rows: ReadonlyArray<string>, columns: number): ReadonlyArray<string> =>
  Bun.markdown
    .ansi(`${rows.join("\n")}\n`, { columns: columns - 1, hyperlinks: false, kittyGraphics: false })
    .trimEnd()
    .split("\n")
