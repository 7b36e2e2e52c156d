/**
 * Notices when the model asks for the same tool calls over and over: the last calls are five rounds of one cycle of up
 * to five calls. A fold over the calls of one prompt; different arguments are different calls, so a long series of edits
 * never trips it.
 */
export interface CallCycles {
  /** Keys of the latest calls, oldest first. */
  readonly keys: ReadonlyArray<string>
}

export const noCalls: CallCycles = { keys: [] }

const REPETITIONS = 5
const LONGEST_CYCLE = 5
const KEPT = REPETITIONS * LONGEST_CYCLE

export const addCall = (
  state: CallCycles,
  call: { readonly name: string; readonly args: unknown }
): { readonly state: CallCycles; readonly isLoop: boolean } => {
  // A digest, because arguments may be files. The runtime's own hasher: node:crypto takes milliseconds to load.
  const key = new Bun.CryptoHasher("sha256").update(`${call.name}:${JSON.stringify(call.args)}`).digest("hex")
  const keys = [...state.keys, key].slice(-KEPT)
  return { state: { keys }, isLoop: hasCycle(keys) }
}

const hasCycle = (keys: ReadonlyArray<string>): boolean => {
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    const span = length * REPETITIONS
    if (keys.length < span) return false
    const start = keys.length - span
    let repeats = true
    for (let index = start + length; repeats && index < keys.length; index++) {
      repeats = keys[index] === keys[index - length]
    }
    if (repeats) return true
  }
  return false
}
