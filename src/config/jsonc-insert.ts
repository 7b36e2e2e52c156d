/**
 * Adds a property to an object that is written over several lines, on a line of its own behind the last one. The library
 * would lay out the line before it anew; here no other byte changes, so that taking the property away gives the old text.
 */
import { findNodeAtLocation, type Node } from "jsonc-parser"

export interface Layout {
  readonly unit: string
  readonly eol: string
}

/** `undefined`: the text is laid out in another way, or the value is there already. */
export const insertLine = (
  text: string,
  root: Node,
  path: ReadonlyArray<string>,
  value: unknown,
  { eol, unit }: Layout
): string | undefined => {
  const depth = path.findIndex((_, index) => findNodeAtLocation(root, path.slice(0, index + 1)) === undefined)
  const name = path[depth]
  const group = depth === -1 ? undefined : findNodeAtLocation(root, path.slice(0, depth))
  const last = group?.type === "object" ? group.children?.at(-1) : undefined
  if (name === undefined || last === undefined) return undefined
  const lineStart = text.lastIndexOf("\n", last.offset - 1) + 1
  const indent = text.slice(lineStart, last.offset)
  const end = last.offset + last.length
  // Nothing but a comma and one comment may follow on the line, and nothing but space may stand before it.
  const [rest, comma] = /^[\t ]*(,?)[\t ]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*\*\/[\t ]*)?(?=\r?\n)/.exec(text.slice(end)) ?? []
  if (lineStart === 0 || indent.trim() !== "" || rest === undefined) return undefined
  const inner = path.slice(depth + 1).reduceRight((below: unknown, key) => ({ [key]: below }), value)
  const written = JSON.stringify({ [name]: inner }, null, unit)
    .split("\n")
    .slice(1, -1)
  const lines = written.map((line) => `${eol}${indent}${line.slice(unit.length)}`).join("")
  const lineEnd = end + rest.length
  return `${text.slice(0, end)}${comma === "" ? "," : ""}${rest}${lines}${comma}${text.slice(lineEnd)}`
}
