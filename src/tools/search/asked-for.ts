/** Whether media that a pattern found are wanted: the bytes of every picture in a folder are not. */
import { basename, extname } from "node:path"

/** Media are included only when the extension or the name stands in some pattern. */
export const isAskedFor = (include: ReadonlyArray<string>, path: string): boolean => {
  const extension = extname(path).toLowerCase()
  const name = basename(path, extname(path)).toLowerCase()
  return include.some((pattern) => {
    const text = pattern.toLowerCase()
    return (extension !== "" && text.includes(extension)) || text.includes(name)
  })
}
