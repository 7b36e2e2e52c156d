/**
 * Whether a sed script can run a command or write a file: the commands `e`, `w` and `W`, and the flags `e` and `w` of a
 * substitution. A script that is not understood counts as one that can.
 */
import type { Word } from "./shell-analysis.ts"

export const actsInSed = (args: ReadonlyArray<Word>): boolean => {
  const scripts: Array<Word> = []
  let isNamed = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) break
    const attached = /^(?:--e[a-z]*=|-[nErsuzi]*e)([\s\S]*)$/.exec(word.value)
    if (attached !== null || /^--e[a-z]*$/.test(word.value)) {
      const next = attached?.[1] === undefined || attached[1] === "" ? args[++at] : { ...word, value: attached[1] }
      if (next !== undefined) scripts.push(next)
      isNamed = true
    } else if (/^(?:--f[a-z]*|-[nErsuzi]*f)/.test(word.value)) {
      // A script in a file is judged like any program in a file; one from standard input is not known at all.
      if (/(?:^|=|f)(?:-|\/dev\/stdin)$/.test(word.value) || args[at + 1]?.value === "-") return true
      isNamed = true
    }
  }
  const first = args.find((word) => !word.value.startsWith("-") || word.value === "-")
  if (!isNamed && first !== undefined) scripts.push(first)
  if (scripts.some((word) => word.dynamic.length > 0)) return true
  return scripts.length > 0 && acts(scripts.map((word) => word.value).join("\n"))
}

const ADDRESS =
  /^(?:\d+(?:~\d+)?|\$|[+~]\d+|\/(?:[^\\/\n]|\\[\s\S])*\/[IM]*|\\([^\\\n])(?:(?!\1)[^\\\n]|\\[\s\S])*\1[IM]*)/
const SIMPLE = /^(?:[=dDgGhHnNpPxzF]|[lqQL]\s*\d*)/
const TEXT = /^[aic](?:[^\n\\]|\\[\s\S])*/
const LABEL = /^[:bTt][^\n;}]*|^v[^\n;]*/
const FILE = /^[rR][^\n]*/
const COMMENT = /^#[^\n]*/

const acts = (script: string): boolean => {
  let rest = script
  const take = (pattern: RegExp): boolean => {
    const found = pattern.exec(rest)
    if (found === null || found[0] === "") return false
    rest = rest.slice(found[0].length)
    return true
  }
  while (rest !== "") {
    if (take(/^[\s;{}]+/) || take(COMMENT)) continue
    if (take(ADDRESS)) {
      take(/^\s+/)
      if (take(/^,\s*/)) take(ADDRESS)
      take(/^[\s!]+/)
      if (rest === "") return true
    }
    if (take(SIMPLE) || take(TEXT) || take(LABEL) || take(FILE) || take(/^[{}]/)) continue
    const change = substitution(rest)
    if (change === undefined || /[ewW]/.test(change.flags)) return true
    rest = rest.slice(change.length)
  }
  return false
}

/** `s/a/b/g` or `y/a/b/`, with any delimiter. */
const substitution = (text: string): { readonly flags: string; readonly length: number } | undefined => {
  const delimiter = text[1]
  if (!/^[sy]/.test(text) || delimiter === undefined || /[\\\n]/.test(delimiter)) return undefined
  let at = 2
  for (let part = 0; part < 2; part++, at++) {
    for (; text[at] !== undefined && text[at] !== delimiter; at++) {
      if (text[at] === "\\") at++
    }
    if (text[at] === undefined) return undefined
  }
  const flags = /^[A-Za-z0-9]*/.exec(text.slice(at))?.[0] ?? ""
  return { flags, length: at + flags.length }
}
