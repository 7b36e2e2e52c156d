/**
 * What a client can have of this server: no more than it was started with. The flags of the server are the word of
 * whoever started it; a call of a client is the word of somebody else, who may be guided by a page that it has read.
 */
import { relative } from "node:path"
import { blockedSegment, isInside } from "../files/containment.ts"
import { type ApprovalMode, isFreer } from "../protocol/modes.ts"

export interface Ceiling {
  readonly mode: ApprovalMode
  /** Where the mode comes from: the flag, or the settings. */
  readonly modeSource: string
  /** Real paths of the folders that the server works in. */
  readonly roots: ReadonlyArray<string>
}

export interface CeilingRefusal {
  readonly message: string
  readonly advice: string
}

/** `undefined`: the client may have it. */
export const modeRefusal = (asked: ApprovalMode, { mode, modeSource }: Ceiling): CeilingRefusal | undefined =>
  isFreer(asked, mode)
    ? {
        message: `approval_mode cannot be "${asked}": runs of this server have ${mode} at most (${modeSource})`,
        advice: `Ask for ${mode} or less, or have the server started with --approval-mode ${asked}.`
      }
    : undefined

/** `folder`: a real path. */
export const folderRefusal = (folder: string, { roots }: Ceiling): CeilingRefusal | undefined => {
  const root = roots.find((candidate) => isInside(candidate, folder))
  if (root === undefined) {
    return {
      message: `cwd cannot be "${folder}": runs of this server work in ${roots.join(", ")}`,
      advice: "Have the server started there, or with --include-directories."
    }
  }
  // As a working folder it would be open to every tool.
  return blockedSegment(relative(root, folder), "write") === null
    ? undefined
    : { message: `cwd cannot be "${folder}": it is closed to runs`, advice: `Name another folder in ${root}.` }
}
