/** Compares a path of a call, as the kernel will resolve it, with what may be read. */
import { statSync } from "node:fs"
import { kernelPath } from "../../files/real-path.ts"
import type { CallWord, ValueKind } from "./program-table.ts"
import type { Doubt, ReadingPlace } from "./reading.ts"

/** `rev:path`: the path is as closed as it is in the folder itself. */
export const pathsInRevision = (value: CallWord): ReadonlyArray<CallWord> =>
  [...value.text.matchAll(/:/g)]
    .map(({ index }) => ({ ...value, text: value.text.slice(index + 1) || "." }))
    .concat(value)

/** Streams of the process itself; nothing of the machine is behind them. Not `-`: some programs open a file of that name. */
const NO_FILE = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/(?:[0-2]|63))$/

export const pathDoubt = (
  value: CallWord,
  kind: Exclude<ValueKind, "text" | "folder">,
  folders: ReadonlyArray<string> | undefined,
  place: ReadingPlace
): Doubt | undefined => {
  const shown = value.text.length > 80 ? `${value.text.slice(0, 80)}…` : value.text
  if (!value.isExact) return { kind: "word", why: `a path is known only when it runs (\`${shown}…\`)` }
  if (kind === "output") return { kind: "argument", effect: "writes", why: `it writes \`${shown}\`` }
  if (NO_FILE.test(value.text)) return undefined
  if (folders === undefined) return { kind: "state", why: "the working folder is not known" }
  for (const folder of folders) {
    const real = kernelPath(folder, value.text)
    if (real === undefined || !place.isReadable(real))
      return { kind: "path", why: `\`${shown}\` is outside of what may be read unasked` }
    if (kind === "followed" && isFolder(real))
      return { kind: "argument", effect: "reaches", why: `links below \`${shown}\` would be followed` }
    if (kind === "tree" && place.holdsClosed(real))
      return { kind: "path", why: `\`${shown}\` holds files that may not be read unasked` }
  }
  return undefined
}

/** What cannot be looked at may be one. */
const isFolder = (real: string): boolean => {
  try {
    return statSync(real, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return true
  }
}
