/** Sequences that change nothing visible in the text: title, notifications, clipboard. Texts in them are made harmless. */
import { readableLine } from "../../kernel/readable-text.ts"

export type NotificationMethod = "auto" | "osc9" | "osc777" | "bell"

export const BELL = "\u0007"

export const titleSequence = (text: string): string => `\u001b]2;${harmless(text)}\u0007`

export const notificationSequence = (method: NotificationMethod, text: string): string => {
  if (method === "bell") return BELL
  // Terminals that know neither show nothing; the bell goes with OSC 9 so that those who can only ring do so.
  return method === "osc777" ? `\u001b]777;notify;gemini;${harmless(text)}\u0007` : `\u001b]9;${harmless(text)}\u0007`
}

/** More is refused by most terminals. */
const MAX_CLIPBOARD_BYTES = 100_000

/** `undefined`: too large for the clipboard of a terminal. */
export const clipboardSequence = (text: string): string | undefined => {
  const bytes = Buffer.from(text)
  return bytes.length > MAX_CLIPBOARD_BYTES ? undefined : `\u001b]52;c;${bytes.toString("base64")}\u0007`
}

/** Inside tmux a sequence for the terminal around it must be wrapped. */
export const throughTmux = (sequence: string): string =>
  `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`

const harmless = (text: string): string => readableLine(text).slice(0, 200)
