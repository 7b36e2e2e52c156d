/**
 * Programs whose arguments are known to be data. Any other program may be one that runs its arguments (`taskset`,
 * `fakeroot`, a loader), so a prohibition is looked for behind it as well.
 */
import type { Word } from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { literalWord } from "../shell/analysis/word.ts"

const WELL_KNOWN = new Set([
  ...":|[|[[|alias|awk|base64|basename|break|cat|cd|chgrp|chmod|chown|cksum|clear|cmp|column|comm|continue|cp".split(
    "|"
  ),
  ...["curl", "cut", "date", "dd", "declare", "df", "diff", "dig", "dirname", "du", "echo", "egrep", "exit", "export"],
  ...["expr", "false", "fgrep", "file", "find", "fmt", "fold", "free", "gawk", "getopts", "git", "git.exe", "grep"],
  ...[
    "gunzip",
    "gzip",
    "head",
    "host",
    "hostname",
    "id",
    "jq",
    "kill",
    "killall",
    "less",
    "let",
    "ln",
    "local",
    "locate"
  ],
  ...[
    "ls",
    "man",
    "md5sum",
    "mkdir",
    "mktemp",
    "more",
    "mv",
    "nl",
    "nslookup",
    "numfmt",
    "od",
    "open",
    "paste",
    "patch"
  ],
  ...["pgrep", "ping", "pkill", "popd", "printf", "ps", "pushd", "pwd", "read", "readlink", "readonly", "realpath"],
  ...[
    "return",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "shift",
    "shuf",
    "sleep",
    "sort"
  ],
  ...["split", "stat", "strings", "sum", "sync", "tac", "tail", "tar", "tee", "test", "touch", "tr", "tree", "true"],
  ...["truncate", "type", "typeset", "umask", "uname", "uniq", "unset", "unzip", "uptime", "wait", "wc", "wget"],
  ...[
    "which",
    "who",
    "whoami",
    "xxd",
    "xz",
    "yes",
    "zcat",
    "zip",
    "apt",
    "apt-get",
    "brew",
    "dnf",
    "pip",
    "pip3",
    "yum"
  ],
  ...["aws", "az", "gcloud", "gh", "helm", "systemctl", "terraform", "bash", "sh", "zsh", "python", "python3", "node"],
  ...[
    "perl",
    "ruby",
    "php",
    "java",
    "javac",
    "gcc",
    "g++",
    "clang",
    "cc",
    "tsc",
    "eslint",
    "prettier",
    "jest",
    "vitest"
  ],
  ...[
    "pytest",
    "ruff",
    "mypy",
    "black",
    "biome",
    "rustc",
    "mvn",
    "gradle",
    "dotnet",
    "vi",
    "vim",
    "nvim",
    "code",
    "eval"
  ]
])

/** Well known, but for the sub-commands that run what follows. */
const RUNNING: Readonly<Record<string, RegExp>> = {
  bun: /^(?:x|exec)$/,
  bundle: /^exec$/,
  cargo: /^(?:run|watch)$/,
  deno: /^(?:run|x)$/,
  docker: /^(?:run|exec|compose|container)$/,
  go: /^(?:run|tool|generate)$/,
  kubectl: /^(?:run|exec|debug)$/,
  npm: /^(?:exec|x|explore|init|create)$/,
  pnpm: /^(?:exec|x|dlx)$/,
  podman: /^(?:run|exec|container)$/,
  poetry: /^(?:run|shell)$/,
  uv: /^(?:run|x|tool)$/,
  yarn: /^(?:exec|dlx|node)$/
}

/** Other commands that this one may run: its words from each later one on, and the texts inside them. */
export const laterReadings = (words: ReadonlyArray<Word>): ReadonlyArray<ReadonlyArray<Word>> => {
  const name = baseName(words[0]?.value ?? "")
  const args = words.slice(1, 1 + MAX_LATER)
  // `make CC=x` runs its values, and takes everything else as the names of targets.
  if (/^g?make$/.test(name)) return args.flatMap((word) => (word.value.includes("=") ? inText(word) : []))
  if (name === "" || WELL_KNOWN.has(name)) return []
  if (Object.hasOwn(RUNNING, name) && !args.some((word) => RUNNING[name]?.test(word.value) === true)) return []
  return args.flatMap((word, index) => [args.slice(index), ...inText(word)])
}

/** The same for a program whose arguments hold code, however well known it is: `awk '{ print | "rm x" }'`. */
export const codeReadings = (words: ReadonlyArray<Word>): ReadonlyArray<ReadonlyArray<Word>> =>
  words.slice(1, 1 + MAX_LATER).flatMap((word, index) => [words.slice(1 + index, 1 + MAX_LATER), ...inText(word)])

const MAX_LATER = 50

/** `--strip-program=rm`, `'rm x; ls'`, `".shell r'm' x"`: with the quotes as ends of words, and without them. */
const inText = ({ value }: Word): ReadonlyArray<ReadonlyArray<Word>> =>
  [value, value.replace(/['"\\]/g, "")].flatMap((text) => {
    const parts = text.split(/[\s;&|()[\]{}=,'"!`$]+/).filter((part) => part !== "")
    return parts.length < 2 && parts[0] === value
      ? []
      : parts.slice(0, MAX_PARTS).map((_, index) => parts.slice(index, index + MAX_LATER).map(literalWord))
  })

const MAX_PARTS = 400
