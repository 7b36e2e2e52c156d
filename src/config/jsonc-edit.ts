/**
 * Changes one value in a user's JSON text and leaves comments, order and layout of the rest as they are. Removing is
 * done here, since the library's own removal takes the comments before the value with it.
 */
import { applyEdits, createScanner, findNodeAtLocation, modify, type Node, parseTree } from "jsonc-parser"

/**
 * Adds a property to an object that is written over several lines, on a line of its own behind the last one. The library
 * would lay out the line before it anew; here no other byte changes, so that taking the property away gives the old text.
 */
interface Layout {
  readonly unit: string
  readonly eol: string
}

/** `undefined`: the text is laid out in another way, or the value is there already. */
const insertLine = (
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

/** `undefined` removes the value. A text without a value becomes a new object, below its comments. */
export const editJsonc = (text: string, path: ReadonlyArray<string>, value: unknown): string => {
  const root = parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true })
  if (value === undefined) return root === undefined ? text : removeAt(text, root, path)
  const source = root === undefined ? `${text.trimEnd()}${text.trim() === "" ? "" : "\n"}{}\n` : text
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(source),
    tabSize: /^( +)["}\]/]/m.exec(source)?.[1]?.length ?? 2,
    eol: source.includes("\r\n") ? "\r\n" : "\n"
  }
  const { eol, insertSpaces, tabSize } = formattingOptions
  const unit = insertSpaces ? " ".repeat(tabSize) : "\t"
  const inserted = root === undefined ? undefined : insertLine(text, root, path, value, { eol, unit })
  if (inserted !== undefined) return inserted
  return applyEdits(source, modify(source, [...path], value, { formattingOptions }))
}

/** Removes a value, and the objects around it that hold nothing after that, not even a comment: they came with it. */
export const removeJsonc = (text: string, path: ReadonlyArray<string>): string => {
  const next = editJsonc(text, path, undefined)
  const around = path.slice(0, -1)
  const root = next === text ? undefined : parseTree(next, [], { allowTrailingComma: true })
  const group = root === undefined ? undefined : findNodeAtLocation(root, [...around])
  if (group === undefined || next.slice(group.offset + 1, group.offset + group.length - 1).trim() !== "") return next
  return around.length === 0
    ? `${next.slice(0, group.offset)}{}${next.slice(group.offset + group.length)}`
    : removeJsonc(next, around)
}

const removeAt = (text: string, root: Node, path: ReadonlyArray<string>): string => {
  const property = findNodeAtLocation(root, [...path])?.parent
  const siblings = property?.parent?.children ?? []
  if (property === undefined || property.type !== "property") return text
  const end = property.offset + property.length
  const commaAfter = commaIn(text, end)
  if (commaAfter !== undefined) return cut(text, property.offset, commaAfter + 1)
  const shortened = cut(text, property.offset, end)
  const before = siblings[siblings.indexOf(property) - 1]
  const commaBefore = before === undefined ? undefined : commaIn(text, before.offset + before.length)
  return commaBefore === undefined ? shortened : shortened.slice(0, commaBefore) + shortened.slice(commaBefore + 1)
}

/** Offset of the comma that follows `start`, with nothing but spaces and comments between. */
const commaIn = (text: string, start: number): number | undefined => {
  const scanner = createScanner(text, true)
  scanner.setPosition(start)
  scanner.scan()
  const offset = scanner.getTokenOffset()
  return text.charAt(offset) === "," ? offset : undefined
}

/** Takes the whole line when nothing else stands on it, else the space behind. */
const cut = (text: string, start: number, end: number): string => {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1
  const rest = /[\t ]*(\r?\n)?/y
  rest.lastIndex = end
  const [space = "", newline] = rest.exec(text) ?? []
  const isAlone = newline !== undefined && text.slice(lineStart, start).trim() === ""
  return isAlone
    ? text.slice(0, lineStart) + text.slice(end + space.length)
    : text.slice(0, start) + text.slice(newline === undefined ? end + space.length : end)
}
