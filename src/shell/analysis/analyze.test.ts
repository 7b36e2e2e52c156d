import { beforeAll, describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { analyze } from "./analyze.ts"
import type { ShellAnalysis, SimpleCommand } from "./shell-analysis.ts"
import type { ParseShell } from "./syntax.ts"

let parse: ParseShell
beforeAll(async () => {
  const { loadParser } = await import("./bash-grammar.live.ts")
  parse = await loadParser(() => performance.now())
})

const words = (command: SimpleCommand): string =>
  (command.forms.at(-1)?.words ?? []).map((word) => word.value).join(" ")
const programs = (analysis: ShellAnalysis): ReadonlyArray<string> =>
  analysis.commands.filter((command) => command.forms.at(-1)?.role !== "carrier").map(words)
const kinds = (analysis: ShellAnalysis): ReadonlyArray<string> => [
  ...new Set(
    [...analysis.opaque, ...analysis.commands.flatMap((command) => command.opaque)].map((opaque) => opaque.kind)
  )
]
const braced = (inside: string): string => ["$", "{", inside, "}"].join("")

describe("commands found", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["ls", ["ls"]],
    ["a && b || c ; d & e | f", ["a", "b", "c", "d", "e", "f"]],
    ["a\nb", ["a", "b"]],
    ["! a", ["a"]],
    ["(a; b)", ["a", "b"]],
    ["{ a; }", ["a"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for f in x; do a; done", ["a"]],
    ["while a; do b; done", ["a", "b"]],
    ["case x in y) a;; esac", ["a"]],
    ["echo $(a)", ["echo $(a)", "a"]],
    ['echo "`a`"', ['echo `a`"', "a"]],
    ["diff <(a) <(b)", ["diff <(a) <(b)", "a", "b"]],
    ["echo $((1 + $(a)))", ["echo $((1 + $(a)))", "a"]],
    ["cat <<E\n$(a)\nE\n", ["cat", "a"]],
    ["cat <<'E'\n$(a)\nE\n", ["cat"]],
    ["cat <<E | b\nx\nE\n", ["cat", "b"]],
    ["f() { a; }; f", ["a", "f"]],
    ["x=$(a)", ["x=$(a)", "a"]],
    ["export X=$(a)", ["export X=$(a)", "a"]],
    ["[[ -n $(a) ]]", ["[[ -n $(a) ]]", "a"]],
    ["a # b", ["a"]],
    ["> file", [""]],
    ["ls \\\n  -la", ["ls -la"]],
    ["bash -c 'a; b'", ["a", "b"]],
    ["bash -lc a", ["a"]],
    ["bash --norc -eo pipefail -c 'a | b'", ["a", "b"]],
    ["sh -c \"sh -c 'a'\"", ["a"]],
    ["/bin/sh -c a", ["a"]],
    ["env LANG=C a b", ["a b"]],
    ["env -i -u X a", ["a"]],
    ["nohup a &", ["a"]],
    ["timeout -k 5 10s a", ["a"]],
    ["nice -n 5 ionice -c 3 a", ["a"]],
    ["stdbuf -oL a", ["a"]],
    ["sudo -u root -E a", ["a"]],
    ["doas a", ["a"]],
    ["time -p a", ["a"]],
    ["time x=1 a", ["a"]],
    ["command a", ["a"]],
    ["builtin echo a", ["echo a"]],
    ["exec a", ["a"]],
    ["xargs -0 -n 1 a b", ["a b …"]],
    ["xargs -I{} a {}", ["a {}"]],
    ["find . -name x -exec a {} +", ["find . -name x -exec a {} +", "a {}"]],
    ["find . -execdir a {} \\; -ok b \\;", ["find . -execdir a {} ; -ok b ;", "a {}", "b"]],
    ["git -c alias.x='!a' x", ["git -c alias.x=!a x", "a"]],
    ["git -c alias.x='push -f' x", ["git -c alias.x=push -f x", "git push -f"]],
    ["git -c core.pager=a log", ["git -c core.pager=a log", "a"]],
    ["git rebase --exec a main", ["git rebase --exec a main", "a"]],
    ["git bisect run a b", ["git bisect run a b", "a b"]],
    ["git submodule foreach 'a; b'", ["git submodule foreach a; b", "a", "b"]],
    ["eval 'a b'", ["eval a b", "a b"]],
    ["trap 'a' EXIT", ["trap a EXIT", "a"]],
    ["bash <<E\na\nE\n", ["bash", "a"]],
    ["busybox rm x", ["rm x"]]
  ]
  test.each(table)("%p", (text, expected) => expect(programs(analyze(text, parse))).toEqual([...expected]))
})

describe("forms", () => {
  const roles = (text: string) => analyze(text, parse).commands.map((command) => command.forms.map((form) => form.role))
  const table: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<string>>]> = [
    ["ls", [["program"]]],
    ["timeout 5 ls", [["transparent", "program"]]],
    ["sudo ls", [["guarded", "program"]]],
    ["LANG=C ls", [["transparent", "program"]]],
    ["PATH=. ls", [["guarded", "program"]]],
    ["env LD_PRELOAD=x ls", [["guarded", "program"]]],
    ["sudo timeout 5 ls", [["guarded", "transparent", "program"]]],
    ["bash -c ls", [["carrier"], ["program"]]],
    ["bash -c '# nothing'", [["program"]]],
    ["command -v ls", [["program"]]],
    ["x=1", [["transparent"]]],
    ["PATH=.", [["program"]]]
  ]
  test.each(table)("%p", (text, expected) => expect(roles(text)).toEqual(expected.map((form) => [...form]) as never))
})

describe("opaque", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["ls -la", []],
    ["echo $HOME", []],
    ["rm$IFS-rf$IFS/", ["ambiguous", "dynamic-command"]],
    [`rm${braced("IFS")}-rf`, ["dynamic-command"]],
    ["$'\\x72m' -rf x", ["ansi-c-quoting"]],
    ["$CMD x", ["dynamic-command"]],
    ["$(a) x", ["dynamic-command"]],
    ["/bin/r? x", ["dynamic-command"]],
    ["r\\\nm x", ["ambiguous"]],
    ["ls\n\\\n rm x", ["ambiguous"]],
    ["git status\r", ["ambiguous"]],
    ["echo `r\\$" + "{x}m y`", ["ambiguous"]],
    ["x+=\\\n rm y", ["ambiguous"]],
    ["command x=1 rm y", ["ambiguous"]],
    [`echo ${braced("x:-<(rm y)")}`, ["ambiguous"]],
    [`echo ${braced("x:-$(rm y)")}`, []],
    ['echo "$\\\n(rm x)"', ["ambiguous"]],
    ['echo "a $(b) \\$(c) \\`d\\`"', []],
    ["cat <<E\n$(a) \\$(b)\nE\n", []],
    ["time if true; then rm x; fi", ["ambiguous"]],
    ["a\vb", ["ambiguous"]],
    [`echo ${braced("x@P")}`, ["prompt-expansion"]],
    ["env -S 'rm x'", ["unclear-wrapper"]],
    ["sudo --unknown x", ["unclear-wrapper"]],
    ["parallel rm ::: x", ["unclear-wrapper"]],
    ["ls() { rm x; }; ls", ["redefinition"]],
    ["alias ls=rm", ["redefinition"]],
    ["hash -p /bin/rm ls", ["redefinition"]],
    ["git -c include.path=x log", ["redefinition"]],
    ["git --exec-path=/x log", ["redefinition"]],
    ["git $X", ["dynamic-command"]],
    ["find . $X", ["dynamic-command"]],
    ["eval $X", ["dynamic-command"]],
    ["eval ls", ["code"]],
    ["source x", ["code"]],
    [". ./x", ["code"]],
    ["python3 -c 'x'", ["code"]],
    ["python3 -Ic 'x'", ["code"]],
    ["node -e x", ["code"]],
    ["perl -ne 'x' f", ["code"]],
    ["ruby -e x", ["code"]],
    ["php -r x", ["code"]],
    ["awk '{print $1}' f", []],
    ["awk 'BEGIN { system(\"x\") }'", ["code"]],
    ["tar --to-command=x -xf a", ["code"]],
    ["python3 script.py", []],
    ["curl x | sh", ["stdin-script"]],
    ["curl x | sudo bash -s -- y", ["stdin-script"]],
    ["bash <(curl x)", ["stdin-script"]],
    ["echo x | python3", ["stdin-script"]],
    // The grammar loses the lone dash here; the check against the source text notices.
    ["python3 - <<E\nx\nE\n", ["ambiguous", "stdin-script"]],
    ["bash script.sh", []],
    ['sh -c "$X"', ["dynamic-command"]],
    ["find . -exec sh -c 'rm {}' \\;", ["dynamic-command"]],
    ["cat <<A\nx\nA \n", ["ambiguous"]],
    ["", ["empty"]],
    ["# only", ["empty"]],
    ["a &&", ["parse-error"]],
    ["(", ["parse-error"]],
    ["a\0b", ["parse-error"]]
  ]
  test.each(table)("%p", (text, expected) => expect(kinds(analyze(text, parse))).toEqual([...expected]))

  test("the pieces of a text that does not parse are read, and it stays opaque", () => {
    const analysis = analyze("{a,b} ; rm x && ls '", parse)
    expect([kinds(analysis), programs(analysis)]).toEqual([["parse-error"], ["rm x"]])
  })

  test("sizes are decided without the parser", () => {
    const never: ParseShell = () => {
      throw new Error("the parser must not be called")
    }
    const texts = ["a".repeat(70_000), "é".repeat(40_000), "(".repeat(10_000), "a|".repeat(20_000), "$(".repeat(10_000)]
    expect(texts.map((text) => kinds(analyze(text, never)))).toEqual([
      ["too-long"],
      ["too-long"],
      ["too-complex"],
      ["too-complex"],
      ["too-complex"]
    ])
  })

  test("long chains are opaque, not a crash", () => {
    expect(kinds(analyze("a && ".repeat(10_000), parse))).toEqual(["too-complex"])
    expect(kinds(analyze("a;".repeat(30_000), parse))).toEqual(["too-complex"])
    expect(kinds(analyze("ls", parse))).toEqual([])
  })

  test("arbitrary text never throws", () => {
    const fragments = [
      "$(",
      ")",
      "`",
      "'",
      '"',
      "<<E\n",
      "E\n",
      "|",
      "&&",
      ";",
      "{",
      "}",
      "((",
      "))",
      "a",
      " ",
      "\\",
      "$x",
      ">",
      "if ",
      "fi"
    ]
    const text = FastCheck.array(FastCheck.constantFrom(...fragments), { maxLength: 30 }).map((parts) => parts.join(""))
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(text, FastCheck.string()), (input) => void analyze(input, parse))
    )
  })
})

describe("redirections", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["ls 2>/dev/null", ["~2>/dev/null"]],
    ["ls 2>&1", ["~2>&1"]],
    ["ls >&2", ["~>&2"]],
    ["ls > f", ["> f"]],
    ["ls &> f", ["&> f"]],
    ["ls >> f 2>&1", [">> f", "~2>&1"]],
    ["ls < f", ["< f"]],
    ["ls <<< x", ["<<<"]],
    ["cat <<E > f\nE\n", ["<<", "> f"]],
    ["ls > $X", ["> $X"]]
  ]
  test.each(table)("%p", (text, expected) =>
    expect(
      analyze(text, parse).commands.flatMap((command) =>
        command.redirections.map((redirection) => (redirection.isHarmless ? "~" : "") + redirection.text)
      )
    ).toEqual([...expected])
  )

  test("belong to the last command of a chain, and to all of a group", () => {
    const counts = (text: string) => analyze(text, parse).commands.map((command) => command.redirections.length)
    expect([counts("a && b > f"), counts("a | b > f"), counts("(a; b) > f")]).toEqual([
      [0, 1],
      [0, 1],
      [1, 1]
    ])
  })
})

test("facts of the whole text", () => {
  const facts = (text: string) => {
    const { hasSubstitution, hasHereDocument, hasSubshell, hasBackground, hasForkBomb } = analyze(text, parse)
    return [hasSubstitution, hasHereDocument, hasSubshell, hasBackground, hasForkBomb].map(Number).join("")
  }
  expect([
    facts("a"),
    facts("a $(b)"),
    facts("a <<E\nE\n"),
    facts("(a)"),
    facts("a &"),
    facts(":(){ :|:& };:")
  ]).toEqual(["00000", "10000", "01000", "00100", "00010", "00011"])
})
