/** What a source of skills is, by how it is written. Pure. */
import { resolve } from "node:path"

export type SkillOrigin =
  | { readonly _tag: "Git"; readonly source: string }
  | { readonly _tag: "Archive"; readonly file: string }
  | { readonly _tag: "Folder"; readonly folder: string }

const REMOTE = /^(?:https?|ssh|git|file|sso):\/\/|^git@|^(?:github|gitlab):/i
const ARCHIVE = /\.(?:skill|zip|tar|tgz|tar\.gz)$/i

export const originOf = (
  source: string,
  place: { readonly cwd: string; readonly home: string | undefined }
): SkillOrigin => {
  if (REMOTE.test(source)) return { _tag: "Git", source }
  const path = resolve(place.cwd, place.home === undefined ? source : source.replace(/^~(?=\/|$)/, place.home))
  return ARCHIVE.test(path) ? { _tag: "Archive", file: path } : { _tag: "Folder", folder: path }
}
