/**
 * Files that go to the model with an item. The input names them, and who wrote the input is not known here: they must
 * stand in the working folder, as a link or not.
 */
import { isUtf8 } from "node:buffer"
import { readFileSync, realpathSync, statSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import { Either } from "effect"
import { blockedSegment } from "../../files/containment.ts"
import { fileTypeOf } from "../../files/file-type.ts"
import type { Part } from "../../protocol/content.ts"

/** In base64 a third more, which leaves room for the rest of a request of 20 MB. */
const MEDIA_LIMIT = 14 * 1024 * 1024
const TEXT_LIMIT = 8 * 1024 * 1024

/** Left: why the item cannot be sent. */
export const filePart = (path: string, cwd: string): Either.Either<Part, string> => {
  try {
    const file = realpathSync(resolve(cwd, path))
    const inside = relative(cwd, file)
    if (inside.startsWith(`..${sep}`) || inside === ".." || inside.startsWith(sep)) {
      return Either.left(`${path} stands outside of the working folder`)
    }
    if (blockedSegment(inside, "read") !== null) return Either.left(`${path} is closed: it may hold secrets`)
    const stat = statSync(file)
    if (!stat.isFile()) return Either.left(`${path} is no regular file`)
    if (stat.size > MEDIA_LIMIT) return Either.left(`${path} is larger than ${MEDIA_LIMIT / 1024 / 1024} MiB`)
    const bytes = readFileSync(file)
    const type = fileTypeOf(path, bytes.subarray(0, 4096))
    if (type.kind === "image" || type.kind === "audio" || type.kind === "video" || type.kind === "pdf") {
      return Either.right({ inlineData: { mimeType: type.mimeType, data: bytes.toString("base64") } })
    }
    if (bytes.length > TEXT_LIMIT) return Either.left(`${path} is larger than ${TEXT_LIMIT / 1024 / 1024} MiB`)
    if (!isUtf8(bytes) || bytes.includes(0)) return Either.left(`${path} is binary data that no model can read`)
    return Either.right({ text: `--- ${path} ---\n${bytes.toString("utf8")}\n--- end of ${path} ---` })
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    return Either.left(code === "ENOENT" ? `${path} does not exist` : `${path} cannot be read (${code})`)
  }
}

/** All of an item: its prompt, then its files. */
export const itemParts = (
  { files, prompt }: { readonly files: ReadonlyArray<string>; readonly prompt: string },
  cwd: string
): Either.Either<ReadonlyArray<Part>, string> =>
  Either.map(Either.all(files.map((path) => filePart(path, cwd))), (parts) => [
    ...(prompt === "" ? [] : [{ text: prompt }]),
    ...parts
  ])

/** Two requests of one hash ask the same of the same model in the same way. `options`: what all items have in common. */
export const requestHash = (parts: ReadonlyArray<Part>, options: string): string =>
  new Bun.CryptoHasher("sha256").update(options).update(JSON.stringify(parts)).digest("hex").slice(0, 16)
