/** Where the shell is after a call: `cd` moves it, and some builtins may change anything. */
import { resolve } from "node:path"
import { kernelPath } from "../../files/real-path.ts"
import type { CallWord } from "./program-table.ts"
import type { Doubt, ReadingPlace } from "./reading.ts"
import { changed, type ShellState } from "./shell-state.ts"

const MAX_FOLDERS = 16

interface Afterwards {
  readonly state: ShellState
  /** Why it is not known where it leads. */
  readonly doubt?: Doubt
}

/** `call`: the words behind wrappers. */
export const afterCall = (call: ReadonlyArray<CallWord>, state: ShellState, place: ReadingPlace): Afterwards => {
  const [name, target, ...more] = call
  if (name?.text !== "cd") return { state: changed(state, name) }
  const lost = (doubt: Doubt): Afterwards => ({ state: { ...state, folders: undefined }, doubt })
  if (
    state.folders === undefined ||
    target === undefined ||
    !target.isExact ||
    more.length > 0 ||
    /^-|^$/.test(target.text)
  ) {
    return lost({ kind: "argument", effect: "unknown", why: "where `cd` leads is not known" })
  }
  if (place.variables.CDPATH !== undefined && !/^\.{0,2}\//.test(target.text))
    return lost({ kind: "state", why: "`CDPATH` decides where `cd` leads" })
  // Bash takes `..` out of the text first, and asks the kernel where that fails; without the folder it stays.
  const folders = new Set(state.folders)
  for (const folder of state.folders) {
    const physical = kernelPath(folder, target.text)
    for (const next of [resolve(folder, target.text), physical]) {
      const real = next === undefined ? undefined : kernelPath("/", next)
      if (next === undefined || real === undefined || !place.isReadable(real))
        return lost({ kind: "path", why: `\`${target.text}\` is outside of what may be read unasked` })
      folders.add(next)
    }
  }
  return { state: { ...state, folders: folders.size > MAX_FOLDERS ? undefined : [...folders] } }
}
