/**
 * One program takes the place of another by a rename. The old one stays beside it as `.old`, until the next update: a
 * way back, and a system that does not let go of a running program allows nothing else.
 */
import { copyFileSync, linkSync, renameSync, rmSync } from "node:fs"
import { Effect } from "effect"
import { messageOf } from "../../../kernel/cause-message.ts"
import { codeOf } from "../../../system/atomic-write.ts"
import { usageError } from "../../usage-error.ts"

/** `made` must lie on the same file system as `program`. */
export const replaceProgram = (program: string, made: string) =>
  Effect.try({
    try: () => {
      const old = `${program}.old`
      rmSync(old, { force: true })
      if (process.platform === "win32") renameSync(program, old)
      else keepBeside(program, old)
      renameSync(made, program)
    },
    catch: (cause) =>
      usageError(
        `${program} cannot be replaced (${messageOf(cause)})`,
        /^E(ACCES|PERM|ROFS)$/.test(codeOf(cause))
          ? "Start it as whoever owns that file, or install into a folder of your own with install.sh --dir."
          : "The old program is still there."
      )
  })

/** Never a moment without a program: a second name for the old one, then the new one under the first. */
const keepBeside = (program: string, old: string): void => {
  try {
    linkSync(program, old)
  } catch {
    copyFileSync(program, old)
  }
}
