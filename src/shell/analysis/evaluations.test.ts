import { beforeAll, describe, expect, test } from "bun:test"
import { analyze } from "./analyze.ts"
import type { ParseShell } from "./syntax.ts"

let parse: ParseShell
beforeAll(async () => {
  const { loadParser } = await import("./bash-grammar.live.ts")
  parse = await loadParser(() => performance.now())
})

const braced = (inside: string): string => ["$", "{", inside, "}"].join("")
const isArithmetic = (text: string): boolean => {
  const { commands, opaque } = analyze(text, parse)
  return [...opaque, ...commands.flatMap((command) => command.opaque)].some(({ kind }) => kind === "arithmetic")
}

describe("can run what a variable holds", () => {
  test.each([
    "echo $((x))",
    "echo $[x]",
    'echo "$[x]"',
    'echo "$((x))"',
    "echo $(( $(a) ))",
    "echo $(($x + 1))",
    `echo ${braced("y:x")}`,
    `echo ${braced("y:1:x")}`,
    `echo ${braced("@:x")}`,
    `echo ${braced("a[x]")}`,
    `echo "${braced("a[$x]")}"`,
    `echo ${braced("#a[x]")}`,
    `echo ${braced("!x")}`,
    `echo ${braced(`x:-${braced("y:z")}`)}`,
    `echo ${braced("x:-$((y))")}`,
    "((x))",
    "if ((x > 1)); then ls; fi",
    "for ((i=x;i<1;i++)); do ls; done",
    "ls {1..$((x))}",
    "a[x]=1",
    "a[x]=1 ls",
    "a=([x]=1)",
    "x=$((y))",
    "case x in $((x))) ls;; esac",
    "cat <<E\n$((x))\nE\n",
    "cat <<E\na $[x]\nE\n",
    `cat <<E\na ${braced("b[x]")} c\nE\n`,
    "cat <<< $((x))",
    "ls {a[x]}>/dev/null",
    "let x",
    "let 'a[$(b)]'",
    "[[ 'a[$(b)]' -eq 0 ]]",
    "[[ $x -gt 3 ]]",
    "[[ 3 -lt x ]]",
    "[[ -v 'a[$(b)]' ]]",
    "test -v 'a[$(b)]'",
    "[ -v 'a[$(b)]' ]",
    "test -v $x",
    "printf -v 'a[$(b)]' x",
    "printf '-va[$(b)]' x",
    "declare -i x",
    "declare -n x=y",
    "declare 'a[$(b)]=1'",
    "typeset -i x=y",
    "export 'a[$(b)]=1'",
    "declare $x",
    "read 'a[$(b)]'",
    "read $x",
    "unset 'a[$(b)]'",
    "unset $x",
    "mapfile 'a[$(b)]'",
    "builtin read 'a[$(b)]'",
    "bash -c 'echo $((x))'"
  ])("%p", (text) => expect(isArithmetic(text)).toBe(true))
})

describe("only computes", () => {
  test.each([
    "echo $((1 + 2 * 0x1F))",
    "echo $(($# - 1))",
    "echo $(a)",
    `echo ${braced("x:1:2")}`,
    `echo ${braced("x: -1")}`,
    `echo ${braced("@:2")}`,
    `echo ${braced("x:-y")}`,
    `echo ${braced("x:=y")}`,
    `echo ${braced("a[0]")} ${braced("a[@]")} ${braced("#a[@]")} ${braced("!a[@]")}`,
    `echo ${braced("x##*/")} ${braced("x/a[b]/c")} ${braced("x^^")}`,
    "a=(1 2 3)",
    "a[0]=1",
    "git log a[x]",
    "[[ $# -eq 0 ]]",
    "[[ $x == a[b] ]]",
    "[ $x -eq 3 ]",
    "[[ -v x ]]",
    "test -f a",
    "printf '%s' x",
    "printf -v x '%s[]' y",
    "export A=$x B",
    "declare -x A=1",
    "local a b=$1",
    "read -r line",
    "unset x 'a[0]'",
    "cat <<'E'\n$[x]\nE\n",
    "while true; do ls; done"
  ])("%p", (text) => expect(isArithmetic(text)).toBe(false))
})
