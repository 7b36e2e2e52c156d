/** Text of others that tries to act on a terminal or to hide in it, and a terminal that tells what it was made to do. */
import { FastCheck as fc } from "effect"

/** One of each kind: sequences in both forms, controls, what reorders, what is not drawn, halves of characters. */
export const HOSTILE_PIECES: ReadonlyArray<string> = [
  "\u001b[2J",
  "\u001b[H",
  "\u001b[8m",
  "\u001b[7;45m",
  "\u001b[?1049h",
  "\u001b[6n",
  "\u001b]0;owned\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b]8;;file:///etc/passwd\u001b\\",
  "\u001bPq#0\u001b\\",
  "\u001b_Gx\u001b\\",
  "\u001b^x\u001b\\",
  "\u001bXx\u001b\\",
  "\u001bc",
  "\u001b",
  "\u009b2J",
  "\u009d0;owned\u009c",
  "\u0090q\u009c",
  "\u0085",
  "\u0007",
  "\u0008",
  "\u000b",
  "\u000c",
  "\u000e",
  "\u0000",
  "\u007f",
  "\r",
  "\r\n",
  "\n",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u200b",
  "\u2060",
  "\ufeff",
  "\u2028",
  "\u2029",
  "\u{e0041}\u{e007f}",
  "\ufe0f",
  "\u{e0101}",
  "\u3164",
  "\ud83d",
  "\udc69"
]

/** Words between them, so that what is shown can be found. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(fc.constantFrom(...HOSTILE_PIECES), fc.constantFrom("a", "bc ", "é", "👩\u200d💻", "| x |", "`", "**")),
    {
      minLength: 1,
      maxLength: 8
    }
  )
  .map((pieces) => pieces.join(""))

/** All kinds in one line, with a word at both ends: for a place that takes one text. */
export const HOSTILE_LINE = `left${HOSTILE_PIECES.filter((piece) => !/^[\r\n\0]+$/.test(piece)).join("")}right`

/** What this program sends on its own account: colours, erasing and moving in the bottom line, paste, title, notification. */
const OWN = new RegExp(
  [
    "\\u001b\\[(?:(?:[0-49]|2[2-49]|3[0-79]|9[0-7])(?:;(?=\\d)|(?=m)))*m",
    "\\u001b\\[2?K",
    "\\u001b\\[\\d*C",
    "\\u001b\\[\\?2004[hl]",
    "\\u001b\\](?:2|9|777);\\P{Cc}*\\u0007",
    "\\u001b\\]8;;[!-~]*\\u001b\\\\",
    "\\r"
  ]
    .map((form) => `^${form}`)
    .join("|"),
  "u"
)

/** Everything in the bytes for a terminal that is neither text nor ours; empty when nothing acted. */
export const actsIn = (bytes: string): ReadonlyArray<string> => {
  const acts: Array<string> = []
  for (let at = 0; at < bytes.length; ) {
    const own = OWN.exec(bytes.slice(at, at + 3_000))
    if (own !== null) {
      at += own[0].length
      continue
    }
    const character = String.fromCodePoint(bytes.codePointAt(at) ?? 0)
    if (ACTING.test(character)) acts.push(JSON.stringify(bytes.slice(Math.max(0, at - 10), at + 10)))
    at += character.length
  }
  return acts
}

/** Joiners and selectors are left out: whether they may stay depends on their neighbours. */
const ACTING =
  /^(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]$/u

/** The same for the name of a file or folder: no slash, and short enough. */
export const HOSTILE_NAME = `left${HOSTILE_PIECES.filter((piece) => !/[/\r\n\0\ud800-\udfff]/.test(piece))
  .slice(0, 28)
  .join("")}right`
