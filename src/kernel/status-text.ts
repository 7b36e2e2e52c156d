/** The moving parts of a status line: a spinner and the time that has passed. */

/** The same frame for as long as a person needs to see it. */
const FRAME_MS = 120
const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
const PLAIN_FRAMES = "|/-\\"

export const spinnerFrame = (elapsedMs: number, { unicode }: { readonly unicode: boolean }): string => {
  const frames = unicode ? FRAMES : PLAIN_FRAMES
  return frames.charAt(Math.floor(Math.max(0, elapsedMs) / FRAME_MS) % frames.length)
}

/** `7s`, `1m05s`, `2h03m`. */
export const elapsedText = (elapsedMs: number): string => {
  const seconds = Math.floor(Math.max(0, elapsedMs) / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}m${String(seconds % 60).padStart(2, "0")}s`
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`
}
