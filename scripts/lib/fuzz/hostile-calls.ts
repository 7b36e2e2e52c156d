/**
 * Calls that once ran unasked although they should not have, as families: each is a pattern with places that are filled
 * anew every time, so that what is looked for is the idea and not the line.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Chance } from "./chance.ts"
import { spelled } from "./spelling.ts"

/** Paths in the hostile tree, from harmless to closed; `%work%` and `%home%` are put in by the caller. */
export const OPEN_PATHS: ReadonlyArray<string> = [
  ...[
    "a.txt",
    "b.txt",
    "README.md",
    "package.json",
    "data.json",
    "table.csv",
    "src",
    "src/b.ts",
    "src/c.ts",
    ".",
    "tidy"
  ],
  ...[
    "./a.txt",
    "src/../a.txt",
    "l/a.txt",
    "deep/d.ts",
    "tidy/one.log",
    "app/main.py",
    "diff.patch",
    "names/a",
    "lines"
  ],
  ...["%work%/a.txt", "src/", "missing", "l/l/src", "-"]
]
export const CLOSED_PATHS: ReadonlyArray<string> = [
  ...[
    "../secret",
    "l/../../secret",
    "l/../secret",
    "deep/../../../secret",
    "out/secret.txt",
    "private",
    "src/out",
    "etc/hostname"
  ],
  ...[
    "/etc/passwd",
    "/etc/hostname",
    "/proc/self/environ",
    "/proc/1/environ",
    "%home%/.ssh/id_rsa",
    "%work%/../secret"
  ],
  ...[
    ".env",
    "app/.env",
    ".git/config",
    "sub/.git/config",
    "l/.env",
    "./.env",
    "src/../.env",
    "app/../.env",
    "..",
    "/",
    "%home%"
  ],
  ...[
    "loop",
    "absent",
    "missing/../../secret",
    "evil/../../secret",
    "tidy/self/../../../secret",
    ".git",
    "app",
    "out",
    "etc"
  ],
  ...["/dev/tcp/127.0.0.1/1", "/dev/fd/0", "/dev/stdin", "//etc/hostname", "/etc/../etc/hostname", "names/-exec"]
]

const TEXTS: ReadonlyArray<string> = [
  ...[
    "needle",
    "x",
    "",
    "-",
    "--",
    "a b",
    "*.ts",
    "^a",
    "a|b",
    "1",
    "5",
    "0",
    "-1",
    "1,3",
    "%s\\n",
    "%h %s",
    "+%F",
    "HEAD",
    "main"
  ],
  ...[
    "HEAD~1",
    "HEAD:a.txt",
    "HEAD:.env",
    "main..HEAD",
    ":(top).env",
    ":/first",
    "first",
    ".",
    ".a",
    ".a[]",
    "f",
    "d",
    "name"
  ],
  ...[
    "5p",
    "1,3p",
    "$p",
    "/needle/p",
    "s/a/b/",
    "s/a/b/gp",
    "1d",
    "y/a/b/",
    "w MARK",
    "1w MARK",
    "s/a/b/w MARK",
    "1e touch MARK"
  ],
  ...[
    "e",
    "s/.*/touch MARK/e",
    "r ../secret",
    "1R ../secret",
    "/x/{p;w MARK\n}",
    "1!G;h;$!d",
    "n;d",
    "F",
    "q",
    "a\\ w MARK",
    "s/[/]/;s/w MARK",
    "s/[/]/;s/e;1,/p/p",
    "/[/]/p;/w MARK/p"
  ],
  ...[
    "{print $1}",
    "NR==1",
    'BEGIN{system("touch MARK")}',
    '{print > "MARK"}',
    '{print | "sh"}',
    '{print $1,\n$2 > "MARK"}',
    '{print 1 ||\n2 > "MARK"}',
    'BEGIN{printf "%s" ,\n\n"x" > "MARK"}',
    'BEGIN{getline < "../secret"; print}'
  ],
  ...[
    '"touch MARK" | getline',
    "{s+=$1} END {print s}",
    'BEGIN{while(("cat ../secret"|getline l)>0)print l}',
    '@load "x"'
  ],
  ...[
    "env",
    "$ENV",
    "env.TOKEN",
    "path(.[env:])",
    "{a: path(.[env:])}",
    "input_filename",
    'import "x" as $d; $d',
    'include "run"; .',
    "$__prog_args",
    "input",
    "keys"
  ],
  ...[
    "-exec",
    "-delete",
    "--pre=./ls",
    "-fprint",
    "--output=MARK",
    "touch MARK",
    "MARK",
    "\u00e9",
    "recurse",
    "read",
    "always",
    "never"
  ]
]

/**
 * Patterns, one a line; a line break in them is written as `⏎`. `@t` stands for a text, `@p` a path, `@o` an open
 * path, `@c` a closed path, `@r` a reading command, `@n` a number.
 */
const FAMILIES: ReadonlyArray<string> = readFileSync(join(import.meta.dir, "hostile-families.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("## "))
  .map((line) => line.replaceAll("⏎", "\n"))

const EVERYDAY_READS: ReadonlyArray<string> = [
  ...[
    "ls",
    "ls -la",
    "cat a.txt",
    "head -n 3 a.txt",
    "grep -n needle a.txt",
    "wc -l b.txt",
    "git status",
    "git log --oneline -3",
    "echo x"
  ],
  ...[
    "find src -name '*.ts'",
    "rg -n needle src",
    "sort a.txt",
    "uniq a.txt",
    "pwd",
    "true",
    "stat a.txt",
    "sed -n 1p a.txt",
    "jq . data.json"
  ]
]

export interface Places {
  readonly work: string
  readonly home: string
}

export const pathFor = (chance: Chance, places: Places): string =>
  placed(chance.oneIn(5) ? chance.pick(CLOSED_PATHS) : chance.pick(OPEN_PATHS), places)

export const textFor = (chance: Chance): string => chance.pick(TEXTS)

export const everydayRead = (chance: Chance): string => chance.pick(EVERYDAY_READS)

/** One line of a family, its places filled. */
export const hostileCall = (chance: Chance, places: Places): string =>
  placed(
    chance.pick(FAMILIES).replace(/@([tpocrn])|\btouch\b/g, (found, kind?: string) => {
      if (kind === undefined) return chance.oneIn(3) ? spelled(found, chance) : found
      if (kind === "r") return everydayRead(chance)
      if (kind === "n") return String(chance.below(20))
      if (kind === "t") return spelled(textFor(chance), chance)
      return spelled(
        kind === "p" ? pathFor(chance, places) : placed(chance.pick(kind === "o" ? OPEN_PATHS : CLOSED_PATHS), places),
        chance
      )
    }),
    places
  )

const placed = (text: string, { home, work }: Places): string =>
  text.replaceAll("%work%", work).replaceAll("%home%", home)
