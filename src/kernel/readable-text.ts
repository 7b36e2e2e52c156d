/**
 * The one cleaner: text of others as a terminal may get it. Everything that is shown there passes it at the edge, where
 * bytes are written, whatever the rooms below have done to it.
 *
 * For reading, what acts is dropped: control sequences, control characters, characters that are drawn as nothing. A
 * carriage return is a line break, since it must not overwrite, and so are the other characters that end a line. What
 * reorders its surroundings is written out (`<U+202E>`). Ordinary text of every script survives: tabs, combining marks,
 * joiners where a script or an emoji needs them, selectors on emoji and ideographs, flags.
 *
 * For deciding, nothing is dropped: `visible-text.ts`.
 */
import { makeSanitizer, type Sanitizer, stripAnsi } from "./sanitize.ts"

/** Cleaning what is clean changes nothing. */
export const readableText = (text: string): string => (PLAIN.test(text) ? text : harmless(stripAnsi(text), ""))

/** Without blank ones at the end; none where nothing is left. */
export const readableLines = (text: string): ReadonlyArray<string> => {
  const clean = readableText(text).trimEnd()
  return clean === "" ? [] : clean.split("\n")
}

/** All of it in one line. */
export const readableLine = (text: string): string => readableText(text).replace(/\s+/g, " ").trim()

/**
 * Text that was composed for the screen: the colours and links of this program survive, and nothing else. Both have one
 * exact form, which hides nothing and reaches nowhere.
 */
export const styledText = (text: string): string => {
  if (PLAIN.test(text)) return text
  let clean = ""
  let from = 0
  for (const { 0: sequence, index } of text.matchAll(OWN_STYLING)) {
    clean += readableText(text.slice(from, index)) + sequence
    from = index + sequence.length
  }
  return clean + readableText(text.slice(from))
}

/**
 * Weights and basic colours, on and off; and links to addresses of printable ASCII. Not among them: hidden, inverted and
 * blinking text, and backgrounds.
 */
const OWN_STYLING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
  /\u001b\[(?:(?:[0-49]|2[2-49]|3[0-79]|9[0-7])(?:;(?=\d)|(?=m)))*m|\u001b\]8;;(?:https?:\/\/[!-~]{1,2000})?\u001b\\/g

/** Text that arrives in pieces: the result is the same however it is cut. */
export const makeReadableStream = (): Sanitizer => {
  const sequences = makeSanitizer()
  let held = ""
  let before = ""
  const settle = (text: string): string => {
    const clean = harmless(text, before)
    before = (before + text).slice(-CONTEXT_LENGTH)
    return clean
  }
  return {
    push: (chunk) => {
      const text = held + sequences.push(chunk)
      held = UNDECIDED.exec(text)?.[0] ?? ""
      return settle(text.slice(0, text.length - held.length))
    },
    end: () => {
      const rest = settle(held + sequences.end())
      held = ""
      before = ""
      return rest
    }
  }
}

/** Nothing that has to be looked at: printable ASCII, tabs and line breaks. Most text by far. */
const PLAIN = /^[\t\n -~]*$/

/** The last characters of a text whose meaning depends on what follows. */
const UNDECIDED =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: joiners and selectors are meant one by one.
  /(?:\r|[\u200c\u200d\ufe00-\ufe0f]{1,2}[\ud800-\udbff]?|[\ud800-\udbff]|[\u200c\u200d\ufe00-\ufe0f]{0,2}\u{1f3f4}[\u{e0020}-\u{e007e}]{0,5}\udb40?)$/u
/** A joiner or selector is judged by the two characters before it. */
const CONTEXT_LENGTH = 4

const LINE_ENDS = "\\r\\n|[\\r\\v\\f\\u0085\\u2028\\u2029]"
const CONTROLS = "[\\p{Cc}--[\\t\\n]]"
const FLAGS =
  "\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}"

/** Line ends, the three flags that are spelt in tags, and single characters that are judged one by one. */
const SUSPECT = new RegExp(`${LINE_ENDS}|${FLAGS}|${CONTROLS}|[\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}]`, "gv")

const REORDERING = /^[\u202a-\u202e\u2066-\u2069]$/

/** Without sequences; `before` is what stands before the text. */
const harmless = (text: string, before: string): string =>
  replaceSuspects(text, before, (found) => {
    if (/^[\r\v\f\u0085\u2028\u2029]/.test(found)) return "\n"
    if (REORDERING.test(found)) return spellOut(found)
    return /^\p{Cs}$/u.test(found) ? "\ufffd" : ""
  })

/** What belongs where it stands is left alone. */
const replaceSuspects = (text: string, before: string, replace: (found: string) => string): string =>
  text.replace(SUSPECT, (found, offset: number) => {
    // A whole flag.
    if (found.length > 4) return found
    const left = (offset < CONTEXT_LENGTH ? before : "") + text.slice(Math.max(0, offset - CONTEXT_LENGTH), offset)
    const next = offset + found.length
    return belongs(found, left, text.slice(next, next + 2)) ? found : replace(found)
  })

/**
 * JSON with the same meaning that passes the cleaner as it is: what it would take out stands as an escape. Programs read
 * the same value, and on a terminal nothing acts.
 */
export const jsonText = (value: unknown, indent?: number): string => {
  const json = JSON.stringify(value, null, indent)
  return PLAIN.test(json) ? json : replaceSuspects(json, "", jsonEscape)
}

const jsonEscape = (found: string): string =>
  found.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Letters and marks of scripts in which they join, or form clusters, and a joiner decides how. */
const JOINING_SCRIPTS = "Arab Syrc Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr".split(
  " "
)
const JOINING = new RegExp(
  `[[${JOINING_SCRIPTS.map((script) => `\\p{scx=${script}}`).join("")}]&&[[\\p{L}\\p{M}]--\\p{Default_Ignorable_Code_Point}]]$`,
  "v"
)

/** A joiner or selector that is needed where it stands, one at a time; `left` ends and `right` begins beside it. */
const belongs = (character: string, left: string, right: string): boolean => {
  if (joinsPictures(character, left, right)) return true
  if (character === "\u200d" || character === "\u200c") return JOINING.test(left)
  if (/^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u.test(character)) return /\p{Script=Han}$/u.test(left)
  if (/^[\u180b-\u180d\u180f]$/.test(character)) return /\p{Script=Mongolian}$/u.test(left)
  // Format characters by name, but drawn: they enclose what follows.
  return /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u.test(character)
}

/** Emoji of several parts, and the choice between their two looks. Nothing can be hidden in these. */
export const joinsPictures = (character: string, left: string, right: string): boolean => {
  if (character === "\u200d")
    return (
      /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u.test(left) && /^\p{Extended_Pictographic}/u.test(right)
    )
  if (character !== "\ufe0e" && character !== "\ufe0f") return false
  return /\p{Extended_Pictographic}$/u.test(left) || (/[#*0-9]$/.test(left) && right.startsWith("\u20e3"))
}

/** `^[` for a control character, `<U+202E>` for others. */
export const spellOut = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return `^${String.fromCharCode(code ^ 0x40)}`
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

const SHOWN_CHARS = 300

/** Text of others in a message for people: one line, nothing that acts on a terminal, bounded. */
export const shortLine = (text: string): string => readableLine(text).slice(0, SHOWN_CHARS)
