/**
 * Files that a project or an extension brings along and whose text reaches the model or decides what it is told: context
 * files and what they import, skills, commands, agents. They are read where they belong and nowhere else: a link out of
 * the project, or a name under which secrets are kept, is refused and told. Files of the user's own may lie, and link,
 * wherever the user likes.
 */
import { basename, relative } from "node:path"
import { lstatOrNone } from "../system/regular-file.ts"
import { blockedSegment, isInside } from "./containment.ts"
import { projectOf } from "./project-root.ts"
import { realPathOf } from "./real-path.ts"

/**
 * Where files of a project may lie: in the folder itself, and in the whole repository around it, unless that is the
 * user's home, as it is for people who keep their home in one.
 */
export const projectBorder = (
  folder: string,
  { home, markers = [".git"] }: { readonly home?: string | undefined; readonly markers?: ReadonlyArray<string> }
): string => {
  const project = projectOf(folder, markers)
  return project === undefined || (home !== undefined && isInside(project, home)) ? folder : project
}

/** Why the file is not read; completes "it ...". `undefined`: it may be, if it is there. */
export const strayReason = (file: string, borders: ReadonlyArray<string>): string | undefined => {
  const real = realOrUndefined(file)
  // Whoever reads it says what is wrong.
  if (real === undefined) return undefined
  const border = borders.map((folder) => realOrUndefined(folder) ?? folder).find((folder) => isInside(folder, real))
  if (border === undefined) return `leads out of the project, to ${real}`
  return secretReason(basename(file)) ?? secretReason(relative(border, real))
}

/** The same for a file whose folder is known to be in its place: only the file itself can lead away. */
export const strayLinkReason = (file: string, borders: () => ReadonlyArray<string>): string | undefined =>
  lstatOrNone(file)?.isSymbolicLink() === true ? strayReason(file, borders()) : secretReason(basename(file))

/** Names of secrets, in any folder of the path. `undefined`: none of them. */
export const secretReason = (path: string): string | undefined => {
  const segment = blockedSegment(path, "read") ?? path.split(/[/\\]/).find((name) => SECRET.test(name))
  return segment === undefined || segment === null ? undefined : `has a name that is kept closed (${segment})`
}

/** Variables and keys; examples of them are none. */
const SECRET =
  /^(?:\.env(?:\.(?!(?:example|sample|template|dist)$)[\w.-]+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.ssh|\.gnupg|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|jks|keystore))$/i

const realOrUndefined = (path: string): string | undefined => {
  try {
    return realPathOf(path)
  } catch {
    return undefined
  }
}
