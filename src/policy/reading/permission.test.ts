import { describe, expect, test } from "bun:test"
import { doubtLeft } from "./permission.ts"
import { readLine } from "./read-line.ts"
import type { ReadingPlace } from "./reading.ts"

const place = (origin: "system" | "own" | "strange"): ReadingPlace => ({
  folder: "/",
  home: "/home/me",
  variables: { PATH: "/usr/bin" },
  dialect: "bash",
  isReadable: () => true,
  holdsClosed: () => false,
  programOrigin: () => origin,
  gitFolder: () => ({ isFound: true })
})

/** Why a rule on these words does not let the line run. */
const leftBy = (prefix: string, line: string, options: ReadonlyArray<string> = [], origin = place("system")) => {
  const read = readLine(line, origin)
  if (read._tag === "NotPlain") return [read.detail]
  const rule = { commandPrefix: prefix.split(" "), allowOptions: options }
  return read.commands.flatMap((command) => doubtLeft(rule, command)?.why ?? [])
}

describe("a rule that names a program", () => {
  const permitted: ReadonlyArray<readonly [string, string]> = [
    ["awk", "awk '{print $1}' /etc/hosts"],
    ["awk", "awk -F: -v n=2 'NR > n {print $1}' /etc/passwd"],
    ["jq", "jq -r '.a[] | select(.b > 1) | \"\\(.c)\"' /etc/x.json"],
    ["jq", "jq --arg a b '$a' x"],
    ["jq", "jq -n '{a: 1, env: 2, c: [.[length:], .[1:$x]], \"d\": {if: 3}} as {env: $e} | $e'"],
    ["awk", "awk '{print $1,\n$2}\n$1 > 3' a"],
    ["sed", "sed -E 's/[a-z]+[^.]|[\\/.]/x/;s|[]/[:space:]]|[|g;/[$]/p' a"],
    ["diff", "diff -ru /etc /usr"],
    ["tar", "tar xzf a.tgz -C /tmp"],
    ["tar", "tar --create --file=a.tar src"],
    ["tar", "tar cf a:b --force-local src"],
    ["find", "timeout 5 find / -name x"],
    ["xargs echo", "xargs -n 1 echo"],
    ["npm", "npm install"],
    ["npm", "timeout 5 npm test"],
    ["npm", "npm test $(ls)"]
  ]
  test.each([...permitted])("%s permits %s", (prefix, line) => expect(leftBy(prefix, line)).toEqual([]))

  const asked: ReadonlyArray<readonly [string, string]> = [
    ...[
      'BEGIN{system("x")}',
      '{print > "x"}',
      '{print | "sh"}',
      '{"sh" | getline}',
      "{getline < $1}",
      'BEGIN{ARGV[1]="x"}',
      '{print ENVIRON["X"]}',
      '@load "x"',
      '@include "x"',
      // A statement goes on behind a sign at the end of its line.
      '{print 1,\n2 > "x"}',
      '{print 1,\n\n2 > "x"}',
      '{print 1 &&\n2 > "x"}',
      '{print 1 ||\n2 > "x"}',
      '{printf("%s",\n1) > "x"}'
    ].map((program) => ["awk", `awk '${program}' a.txt`] as const),
    ["awk", "awk -f x.awk a.txt"],
    ["awk", "awk -i inplace '{print}' a.txt"],
    ["awk", "awk '{print}' /inet/tcp/0/localhost/80"],
    // A word before a colon is a name in an object, and a call in a slice.
    ...[
      "path(.[env:])",
      "{a: path(.[env:])}",
      "{a: 1} | path(.[input_filename : 1])",
      "[.[env:]]",
      '"\\(path(.[env:]))"'
    ].map((filter) => ["jq", `jq -n '${filter}'`] as const),
    // A mark in brackets ends the expression for one reader and not for the other.
    ...[
      "s/[/]/;s/w x/p/g",
      "s/[/]/;s/e;1,/p/p",
      "/[/]/p;/w x/p",
      "s,[,],;s,w x,p,",
      "s/[]/]/;s/w x/p/",
      "s/[^]/]/;s/w x/p/"
    ]
      .concat("s/[[:a/:]]/;s/w x/p/", "s/[\\]/]/;s/w x/p/")
      .map((script) => ["sed", `sed -n '${script}' a`] as const),
    ["sed", "sed -l 'w x' p"],
    ["git status", "env -i git status"],
    ["ls", "env --ignore-environment ls"],
    ...["for-each-ref", "branch", "tag"].map((name) => ["git", `git ${name} --sort=-signature`] as const),
    ["git", "git shortlog --group=format:%GK"],
    ...["env", "$ENV", '"\\(env)"', 'import "x" as x; x', 'include "x"; .', "modulemeta"].map(
      (filter) => ["jq", `jq '${filter}' a.json`] as const
    ),
    ["jq", "jq -f x.jq a.json"],
    ["jq", "jq -L lib . a.json"],
    ["diff", "diff -l a b"],
    ...["cI ./x a.tar src", "-I ./x -cf a.tar src", "--use-compress-program=./x -cf a src", "--use-comp=./x -cf a src"]
      .concat("-xf a --to-command=./x", "-cf a src --checkpoint-action=exec=./x", "-cf a -T list", "-xMf a -F ./x")
      .concat("-xf host:a", "xf host:a", "--rsh-comman=./x -xf host:a")
      .map((words) => ["tar", `tar ${words}`] as const),
    ["find", "ls | xargs find ."],
    ["find", "xargs find"],
    ["find", "busybox find . -delete"],
    ["find", "exec find . -delete"],
    ["touch", "toybox touch x"],
    ...["./nice", "./bash -c", "bin/env", "/tmp/timeout 5", "$x"].map((first) => ["jq", `${first} jq $(ls)`] as const),
    ["xargs echo", "xargs -I echo sh echo"],
    ["xargs echo", "xargs -I {} -n 1 echo {}"]
  ]
  test.each([...asked])("%s does not permit %s", (prefix, line) => expect(leftBy(prefix, line)).not.toEqual([]))

  test("permits the options that it names too", () => {
    expect(leftBy("tar", "tar -T list -cf a.tar")).toEqual(["`tar -T` runs other programs"])
    expect(leftBy("tar", "tar -T list -cf a.tar", ["-T"])).toEqual([])
  })

  test("means the one that somebody has installed for themselves, with the same options, and no other", () => {
    expect(leftBy("rg", "rg needle", [], place("own"))).toEqual([])
    expect(leftBy("rg", "rg --pre ./x needle", [], place("own"))).toEqual(["`rg --pre` runs other programs"])
    expect(leftBy("rg", "rg needle", [], place("strange"))).toEqual([
      "the name `rg` does not lead to a program of the system"
    ])
  })
})

test("one's own program does not run unasked", () => {
  const read = readLine("rg needle", place("own"))
  expect(read._tag === "Understood" && read.commands[0]?.doubts.map(({ kind }) => kind)).toEqual(["lookup"])
})
