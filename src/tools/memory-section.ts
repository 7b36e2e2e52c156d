/** The section of a context file that holds remembered facts, one bullet each. */

const HEADING = "## Gemini Added Memories"

/** One line, without what would make it a heading or a list of its own. Empty when nothing is left. */
export const oneLineFact = (fact: string): string =>
  fact
    .replace(/[\r\n\u0085\u2028\u2029]+/g, " ")
    .trim()
    .replace(/^(?:[-*+#>]+\s*)+/, "")
    .trim()

/** The content with the fact at the end of the section; the section stands at the end where there is none yet. */
export const addMemory = (content: string, fact: string): string => {
  const newline = content.includes("\r\n") ? "\r\n" : "\n"
  const bullet = `- ${fact}`
  const lines = content.split(/\r?\n/)
  const heading = lines.findIndex((line) => line.trimEnd() === HEADING)
  if (heading < 0) {
    const before = content.trimEnd()
    const gap = before === "" ? "" : `${newline}${newline}`
    return `${before}${gap}${HEADING}${newline}${bullet}${newline}`
  }
  const next = lines.findIndex((line, index) => index > heading && /^##? /.test(line))
  let end = next < 0 ? lines.length : next
  while (end > heading + 1 && lines[end - 1]?.trim() === "") end--
  const tail = next < 0 ? [""] : lines.slice(end)
  return [...lines.slice(0, end), bullet, ...tail].join(newline)
}
