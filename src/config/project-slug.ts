/** The short name under which a project's data is kept, and the longer one that session files carry. */
import { basename } from "node:path"

/** `/work/My App` becomes `my-app`. */
export const slugOf = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "project"

/** `my-app`, else `my-app-1`, `my-app-2`, … */
export const freeSlug = (folder: string, isTaken: (slug: string) => boolean): string => {
  const base = slugOf(folder)
  let slug = base
  for (let number = 1; isTaken(slug); number++) slug = `${base}-${number}`
  return slug
}

/** Paths of Windows are the same in any case. */
export const projectPath = (folder: string, platform: NodeJS.Platform): string =>
  platform === "win32" ? folder.toLowerCase() : folder

/** SHA-256 of the absolute path: the name of older data folders, and `projectHash` in session files. */
export const projectHashOf = (folder: string): string => new Bun.CryptoHasher("sha256").update(folder).digest("hex")
