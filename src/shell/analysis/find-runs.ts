/** The commands that `find` starts for the files it finds. */
import type { Inside } from "./programs.ts"
import type { Word } from "./shell-analysis.ts"

const STARTERS = new Set(["-exec", "-execdir", "-ok", "-okdir"])

export const commandsInFind = (words: ReadonlyArray<Word>): Inside => {
  const computed = words.slice(1).some((word) => word.dynamic.length > 0 && /^["']?[$`{<]/.test(word.raw))
  const commands: Array<Inside["commands"][number]> = []
  for (let at = 1; at < words.length; at++) {
    const starter = words[at]?.value ?? ""
    if (!STARTERS.has(starter)) continue
    const end = words.findIndex((word, index) => index > at && (word.value === ";" || word.value === "+"))
    const inner = words.slice(at + 1, end === -1 ? words.length : end)
    if (inner.length > 0) commands.push({ words: inner.map(withFile), via: `find ${starter}` })
    if (end === -1) break
    at = end
  }
  return {
    scripts: [],
    commands,
    // A computed word could itself be `-exec` or `-delete`.
    opaque: computed ? [{ kind: "dynamic-command", detail: "an argument of `find` is computed" }] : [],
    isCarrier: false
  }
}

const withFile = (word: Word): Word =>
  word.value.includes("{}") ? { ...word, dynamic: [...word.dynamic, "{}"] } : word
