/** Text of a server in a message for people: one line, nothing that acts on a terminal, bounded. */
import { readableLine } from "../kernel/readable-text.ts"

const SHOWN_CHARS = 300

export const oneLine = (text: string): string => readableLine(text).slice(0, SHOWN_CHARS)
