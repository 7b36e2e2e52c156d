/** What vi keys remember between two keys. */
export interface ViState {
  readonly mode: "insert" | "normal"
  /** Keys of a command that is not complete yet: a count, an operator, `f`. */
  readonly pending: string
  readonly lastFind: ViFind | undefined
  /** Keys of the last change, for `.`; text that was typed with it. */
  readonly lastChange: ViChange | undefined
  /** Where the insert mode began, and with which command: to know what `.` repeats. */
  readonly inserting: { readonly keys: string; readonly from: number } | undefined
}

export interface ViFind {
  readonly kind: "f" | "F" | "t" | "T"
  readonly character: string
}

export interface ViChange {
  readonly keys: string
  readonly typed: string
}

export const initialVi: ViState = {
  mode: "insert",
  pending: "",
  lastFind: undefined,
  lastChange: undefined,
  inserting: undefined
}
