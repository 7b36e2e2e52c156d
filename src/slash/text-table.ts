/** Columns of text for people. Pure. */

/** Rows with their columns under each other; the last column is not padded. */
export const textTable = (rows: ReadonlyArray<ReadonlyArray<string>>, indent = ""): string => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (known, row) =>
      Array.from({ length: Math.max(known.length, row.length) }, (_, column) =>
        Math.max(known[column] ?? 0, Bun.stringWidth(row[column] ?? ""))
      ),
    []
  )
  const padded = (cell: string, column: number, row: ReadonlyArray<string>) =>
    column === row.length - 1 ? cell : cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)))
  return rows
    .map(
      (row) =>
        indent +
        row
          .map((cell, column) => padded(cell, column, row))
          .join("  ")
          .trimEnd()
    )
    .join("\n")
}

const BAR = 20

/** A share between 0 and 1 as a picture. */
export const bar = (share: number): string => {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR)
  return "#".repeat(filled) + ".".repeat(BAR - filled)
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${((part / whole) * 100).toFixed(1)}%`

/** Thousands are set apart. */
export const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",")

export const seconds = (ms: number): string => {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`
  const whole = Math.round(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return `${hours === 0 ? "" : `${hours}h `}${minutes}m ${rest}s`
}
