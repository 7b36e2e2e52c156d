/**
 * The many ways to write one word in bash: quotes of each kind, escapes, pieces of all of them. Most denote the value
 * that was asked for; some, on purpose, only look like it.
 */
import type { Chance } from "./chance.ts"

/** A bash word for `value`. */
export const spelled = (value: string, chance: Chance): string => {
  const [first, second] = [chance.below(value.length + 1), chance.below(value.length + 1)].toSorted((a, b) => a - b)
  switch (chance.below(12)) {
    case 0:
      return singleQuoted(value)
    case 1:
      return doubleQuoted(value)
    case 2:
      return ansiQuoted(value, chance)
    case 3:
      return [value.slice(0, first), value.slice(first, second), value.slice(second)]
        .map((piece) => (piece === "" ? "" : oneStyle(piece, chance)))
        .join("")
    case 4:
      return value.replace(/[^\n]/g, (char) => (chance.oneIn(4) ? `\\${char}` : bare(char))) || "''"
    case 5:
      return `${oneStyle(value, chance)}${chance.pick(["''", '""', "$''"])}`
    default:
      return bare(value) || "''"
  }
}

const oneStyle = (value: string, chance: Chance): string =>
  chance.pick([singleQuoted, doubleQuoted, bare, (text: string) => ansiQuoted(text, chance)])(value)

/** As people write it: quoted where it has to be. */
export const bare = (value: string): string =>
  /^[\w@%+=:,./-]*$/.test(value) || /^[*?]/.test(value) ? value : singleQuoted(value)

const singleQuoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`

const doubleQuoted = (value: string): string => `"${value.replace(/[$`"\\]/g, "\\$&")}"`

const ansiQuoted = (value: string, chance: Chance): string =>
  `$'${[...value].map((char) => (chance.oneIn(3) ? ansiEscape(char, chance) : ansiPlain(char))).join("")}'`

const ansiPlain = (char: string): string => (/['\\]/.test(char) ? `\\${char}` : char)

const ansiEscape = (char: string, chance: Chance): string => {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code > 0x7f) return `\\u${hex.padStart(4, "0")}`
  return chance.pick([
    `\\x${hex.padStart(2, "0")}`,
    `\\${code.toString(8).padStart(3, "0")}`,
    `\\x{${hex}}`,
    `\\u${hex.padStart(4, "0")}`,
    `\\U${hex.padStart(8, "0")}`,
    `\\x${hex}`,
    `\\${code.toString(8)}`,
    `\\c${char}`
  ])
}

/** Pieces of words that mean something to the shell, whatever stands around them. */
export const EXPANSIONS: ReadonlyArray<string> = [
  ...["$x", '"$x"', "$" + "{x}", '"$' + '{x}"', "$HOME", '"$HOME"', "$PWD", '"$PWD"', "$UNSET", '"$UNSET"', "$?", "$$"],
  ...["$#", "$@", '"$@"', "$*", "$1", "$_", "$-", "$!", "$0", "$IFS", "$OLDPWD", "$RANDOM", "$LINENO"],
  ...["$TOKEN", '"$TOKEN"', "$" + "{TOKEN}"],
  ...["$" + "{x:-y}", "$" + "{x:=y}", "$" + "{x%a}", "$" + "{#x}", "$" + "{!x}", "$" + "{x@P}", "$" + "{x:0:1}"],
  ...["$" + "{x[0]}", "$" + "{x[@]}", "$" + "{x//a/b}", "$" + "{x^^}", "$[1+1]", "$((1+1))", "$((x))", "$((1,2))"],
  ...["*", "?", "*.txt", "src/*", "s*", "[ab]*", "[!a]*", "@(a|b)", "!(a)", "+(a)", "a?txt", ".*", "**", "*/*", "-*"],
  ...["~", "~/", "~/a", "~+", "~-", "~root", "~_apt", "~nobody/a", "a=~", "a:~/b", "x=~/a"],
  ...["{a,b}", "{1..3}", "{a..c}", "{}", "{a}", "{a,}", "{,a}", "{{a,b},c}", "{a,b", "a,b}", '{"a,b"}', "{x}"],
  ...['$"a"', "$'a\\0b'", "$'a\\nb'", "$'\\''", "$'\\x{65}'", "$'\\c'a'", "$'\\e'", '"\\$x"', '"a\\\nb"', "a\\\nb"],
  ...["\\\n", "\\ ", "\\#", "\\~", "\\{a,b\\}", "\\*", "'a\nb'", '"a\tb"', "é", "\u00a0", "\u2028", "\r", "\x01", "\f"]
]
