/** Copies a skill's folder: plain files and folders, without the history of its repository. Links are not taken along. */
import { copyFileSync, lstatSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { SkillInstallError } from "./install-error.ts"

export interface CopyLimits {
  readonly maxFiles: number
  readonly maxBytes: number
}

export const COPY_LIMITS: CopyLimits = { maxFiles: 20_000, maxBytes: 256 * 1024 * 1024 }

/** Throws a `SkillInstallError`, or what the system reports. */
export const copySkill = (from: string, to: string, limits: CopyLimits = COPY_LIMITS): void => {
  let files = 0
  let bytes = 0
  const visit = (source: string, target: string): void => {
    const stat = lstatSync(source)
    if (stat.isDirectory()) {
      mkdirSync(target)
      for (const name of readdirSync(source)) if (name !== ".git") visit(join(source, name), join(target, name))
      return
    }
    if (!stat.isFile()) {
      const kind = stat.isSymbolicLink() ? "a link" : "neither a file nor a folder"
      throw new SkillInstallError({ kind: "unsafe", detail: `${source} is ${kind}: it is not installed` })
    }
    files += 1
    bytes += stat.size
    if (files > limits.maxFiles || bytes > limits.maxBytes) {
      throw new SkillInstallError({ kind: "unsafe", detail: `${from} is too large to be a skill` })
    }
    copyFileSync(source, target)
  }
  visit(from, to)
}
