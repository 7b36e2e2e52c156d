/**
 * Frames in what the model reads: tags and lines that say whose words stand inside. Text of others (files, servers, pages,
 * programs, other agents) must neither close the frame that it stands in nor open another one: then its words would pass
 * for those of the user, or of this program. Everything that is put into a frame goes through here.
 */

/** Every tag with which this program frames text of others; and tags that models take for words of their surroundings. */
export const FRAME_TAGS: ReadonlyArray<string> = [
  "session_context",
  "loaded_context",
  "global_context",
  "user_project_memory",
  "extension_context",
  "project_context",
  "workspace_files",
  "untrusted_context",
  "hook_context",
  "activated_skill",
  "instructions",
  "available_resources",
  "available_skills",
  "available_subagents",
  "state_snapshot",
  "original_user_request",
  "system_reminder",
  "system_instruction",
  "system_prompt",
  "tool_result",
  "tool_results",
  "tool_response",
  "function_result",
  "function_results",
  "function_response",
  "start_of_turn",
  "end_of_turn"
]

/**
 * Text that may stand inside a frame. A tag of one loses its bracket (`&lt;/untrusted_context>`), a line that looks like
 * `--- End of Context ---` and a comment of an import get a backslash; all else stays as it is.
 */
export const insideFrame = (text: string): string =>
  withoutMarkerLines(HAS_BRACKET.test(text) ? text.replace(TAG, "&lt;$1").replace(COMMENT, "&lt;$1") : text)

const withoutMarkerLines = (text: string): string =>
  HAS_DASHES.test(text) ? text.replace(MARKER_LINE, "$1\\$2") : text

/** The same for a name in the line of a frame: one line, and no end of that line. */
export const frameName = (name: string): string =>
  insideFrame(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "))
    .replaceAll("-->", "--&gt;")
    .replace(/(^|\s)-{3,}(?=\s|$)/g, "$1--")

/**
 * What a tool found, as it found it, but for the two frames of ours that may follow it in the same answer: context that
 * belongs to the place, and what hooks add.
 */
export const withoutAddedFrames = (text: string): string =>
  HAS_BRACKET.test(text) || HAS_DASHES.test(text)
    ? text.replace(HOOK_TAG, "&lt;$1").replace(CONTEXT_LINE, "$1\\$2")
    : text

/** A frame for one text that must not be altered: its tag gets a number until the text does not hold it. */
export const framedExactly = (tag: string, text: string): string => {
  const lower = text.toLowerCase()
  let name = tag
  for (let number = 2; lower.includes(name); number += 1) name = `${tag}_${number}`
  return `<${name}>\n${text}\n</${name}>`
}

/** Nothing without one of these is changed, and the large patterns are not compiled: trees of folders are full of dashes. */
const HAS_BRACKET = /[<\uff1c\ufe64\u2039\u3008\u27e8\u300a\u27ea]/
const HAS_DASHES = /[-\u2010-\u2015\u2212\u2500\u2501\ufe58\ufe63\uff0d]{3}/

/** Brackets that look alike, then blanks, slashes and what is not drawn. */
const OPENING = "[<\\uff1c\\ufe64\\u2039\\u3008\\u27e8\\u300a\\u27ea]"
const UNSEEN = "\\p{Cf}\\p{Default_Ignorable_Code_Point}"
const LEAD = `[\\s/\\\\!|${UNSEEN}]{0,20}`

/** The name with anything that is not drawn between its letters, and any sign between its words. */
const tagNames = (names: ReadonlyArray<string>): string =>
  names
    .map((name) =>
      name
        .split("")
        .map((letter) => (letter === "_" ? `[_\\s${UNSEEN}-]{0,3}` : `${letter}[${UNSEEN}]{0,3}`))
        .join("")
    )
    .join("|")

const tagPattern = (names: ReadonlyArray<string>): RegExp =>
  new RegExp(`${OPENING}(${LEAD}(?:${tagNames(names)})(?![a-z0-9_-]))`, "giu")

const TAG = tagPattern(FRAME_TAGS)
const HOOK_TAG = tagPattern(["hook_context"])
const COMMENT = /<(!--\s*(?:imported from|end of import|import failed|file already processed))/gi

const DASHES = "[-\\u2010-\\u2015\\u2212\\u2500\\u2501\\ufe58\\ufe63\\uff0d]{3,}"
const MARKER_LINE = new RegExp(`^([^\\S\\n]*)(${DASHES}[^\\S\\n]+\\S.*[^\\S\\n]${DASHES}[^\\S\\n]*)$`, "gmu")
const CONTEXT_LINE = new RegExp(
  `^([^\\S\\n]*)(${DASHES}[^\\S\\n]*(?:newly discovered project context|end project context|(?:end of )?context from:).*)$`,
  "gimu"
)

/** Marks text that comes from outside: the model is told not to take instructions from what stands in it. */
export const untrusted = (text: string): string => `<untrusted_context>\n${insideFrame(text)}\n</untrusted_context>`
