/** Files of an extension that are not plain JSON or do not fit: read again with positions, so that each fault names its line. */
import { join } from "node:path"
import { Either } from "effect"
import { type ConfigIssue, formatIssue } from "../config/config-error.ts"
import { parseJsonc, placeOf, plainValue, properties, type SyntaxFault } from "../config/jsonc-node.ts"
import { unknownFields as fieldsOf } from "../config/unknown-fields.ts"
import { closestName } from "../kernel/closest-name.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { decodeManifest, MANIFEST_FIELDS, MANIFEST_NAME, Manifest } from "./manifest.ts"

export const locateFaults = (file: string, text: string): Either.Either<Manifest, ReadonlyArray<ConfigIssue>> => {
  const tree = parseJsonc(text)
  if (tree.kind === "empty") return Either.left([{ file, message: "is empty" }])
  if (tree.kind === "broken") return Either.left(inFile(file, tree.faults))
  return Either.mapLeft(decodeManifest(plainValue(tree.root)), (faults) =>
    faults.map(({ message, path }) => ({
      file,
      ...placeOf(text, tree.root, path),
      ...(path.length === 0 ? {} : { key: path.join(".") }),
      message: path.length === 0 ? "must be one JSON object" : message
    }))
  )
}

/** Where a text stops being JSON; nothing where it is. */
export const syntaxFaults = (file: string, text: string): ReadonlyArray<ConfigIssue> => {
  const tree = parseJsonc(text)
  return tree.kind === "broken" ? inFile(file, tree.faults) : []
}

const inFile = (file: string, faults: ReadonlyArray<SyntaxFault>): ReadonlyArray<ConfigIssue> =>
  faults.map((fault) => ({ file, ...fault }))

/** Fields that have no effect, with the one that was probably meant. */
export const unknownFields = (file: string, text: string): ReadonlyArray<ConfigIssue> => {
  const tree = parseJsonc(text)
  if (tree.kind !== "tree" || tree.root.type !== "object") return []
  const atTop = properties(tree.root).flatMap(({ name }) => {
    const key = String(name.value)
    if (MANIFEST_FIELDS.includes(key)) return []
    const near = closestName(key, MANIFEST_FIELDS)
    const message = near === undefined ? "is not known and has no effect" : `is not known; did you mean ${near}?`
    return [{ file, ...placeOf(text, name, []), key, message }]
  })
  // What servers say is told when they start, with those of the settings.
  const inside = fieldsOf(Manifest.ast, plainValue(tree.root)).filter(
    ({ path }) => path.length > 1 && path[0] !== "mcpServers"
  )
  return [
    ...atTop,
    ...inside.map(({ message, path }) => ({ file, ...placeOf(text, tree.root, path), key: path.join("."), message }))
  ]
}

/** Those that are probably misspelt: the others may belong to another version of the program, and are told by validation. */
export const misspeltFields = (folder: string): ReadonlyArray<string> => {
  const file = join(folder, MANIFEST_NAME)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return []
  return unknownFields(file, content.text)
    .filter(({ message }) => message.includes("did you mean"))
    .map(formatIssue)
}

const MAX_BYTES = 1024 * 1024
