/** The model's list of subtasks, from its plain form: `2. [in_progress] Write the tests`. */
import { readableLines } from "../../kernel/readable-text.ts"
import { cutLine, type Frame } from "./framed.ts"
import { marksFor } from "./marks.ts"
import type { Ink } from "./paint.ts"

const LOOKS: Readonly<Record<string, readonly [unicode: string, ascii: string, ...inks: ReadonlyArray<Ink>]>> = {
  pending: ["○", "[ ]"],
  in_progress: ["▸", "[>]", "bold", "cyan"],
  completed: ["✓", "[x]", "dim"],
  cancelled: ["⊘", "[-]", "dim", "strike"],
  blocked: ["!", "[!]", "yellow"]
}

export const todoLines = (text: string, frame: Frame): ReadonlyArray<string> =>
  readableLines(text).map((line) => {
    const [, status = "", words = line] = /^\d+\. \[(\w+)\] (.*)$/.exec(line) ?? []
    const [unicode, ascii, ...inks] = (Object.hasOwn(LOOKS, status) ? LOOKS[status] : undefined) ?? ["", ""]
    const shown = `${frame.unicode ? unicode : ascii} ${words}`
    return `  ${frame.paint(cutLine(shown, Math.max(8, frame.columns - 3), marksFor(frame)), ...inks)}`
  })
