/** Which project a file of Google credentials belongs to: its own, or the one that it bills. */
import { Option, Schema } from "effect"
import { readRegularFile } from "../system/regular-file.ts"

const MAX_BYTES = 1024 * 1024

const Projects = Schema.parseJson(
  Schema.Struct({
    project_id: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
    quota_project_id: Schema.optionalWith(Schema.NonEmptyString, { exact: true })
  })
)

/** `undefined`: it names none, or is no such file. */
export const projectOfCredentials = (file: string): string | undefined => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return undefined
  const found = Option.getOrUndefined(Schema.decodeUnknownOption(Projects)(content.text))
  return found?.project_id ?? found?.quota_project_id
}
