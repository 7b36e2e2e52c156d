/**
 * Runs lines in a real shell in which every program is a recorder: what was called, with which words, in which folder.
 * Nothing else happens, except that files of the throw-away folder may be made by redirections, which is reported.
 */
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CONTAINED } from "./contained.ts"

export interface RecordedCall {
  readonly words: ReadonlyArray<string>
  /** As the shell names it. */
  readonly folder: string
}

export interface RecordedLine {
  readonly calls: ReadonlyArray<RecordedCall>
  /** It made or removed files. */
  readonly changesFiles: boolean
}

export type Dialect = "bash" | "sh"

/** Names that are recorded. Whatever else a line names is not found. */
export const RECORDED_NAMES: ReadonlyArray<string> = [
  ...["ls", "cat", "echo", "grep", "find", "sed", "head", "git", "printf", "test", "true", "false", "env", "timeout"],
  ...["xargs", "bash", "sh", "sort", "touch", "rm", "pwd", "wc", "uniq", "command", "cd"]
]

const RECORDED_PATHS = ["/usr/bin/ls", "./ls", "src/ls"]

const WRITES = "-"

export class RecordingShell {
  readonly work: string
  readonly home: string
  private readonly scratch: string

  /** `scratch`: an empty folder of the caller's, which removes it. */
  constructor(scratch: string) {
    this.scratch = realpathSync(scratch)
    this.work = join(this.scratch, "1/2/3/4/5/6/work")
    this.home = join(this.scratch, "home")
    mkdirSync(join(this.work, "src", "deep"), { recursive: true })
    mkdirSync(join(this.work, "b -delete"))
    for (const folder of ["home", "programs"]) mkdirSync(join(this.scratch, folder))
    for (const file of [
      "a.txt",
      "b.txt",
      "z",
      "src/c.ts",
      "src/d.ts",
      "src/z",
      "sp ace",
      "-n",
      "b -delete/e",
      "new\nline"
    ]) {
      writeFileSync(join(this.work, file), `${file}\n`)
    }
    symlinkSync(".", join(this.work, "l"))
    symlinkSync("src/deep", join(this.work, "deep"))
  }

  get variables(): Readonly<Record<string, string>> {
    return { HOME: this.home, PATH: join(this.scratch, "programs"), USER: "me", LANG: "C.UTF-8", TERM: "dumb" }
  }

  async run(lines: ReadonlyArray<string>, dialect: Dialect): Promise<ReadonlyArray<RecordedLine>> {
    const file = (name: string) => join(this.scratch, name)
    writeFileSync(file("lines"), lines.map((line) => `${line.replaceAll("\0", "")}\0`).join(""))
    writeFileSync(file("log"), "")
    writeFileSync(file("driver"), driverIn(dialect))
    const child = Bun.spawn(
      [
        ...[...CONTAINED, "--bind", this.scratch, this.scratch, "--die-with-parent", "--chdir", this.work],
        // The driver is a bash in any case: it hands each line to a shell of the dialect.
        ...["bash", "--norc", file("driver"), this.work, file("lines"), file("log")]
      ],
      { env: { ...this.variables, PATH: process.env.PATH ?? "" }, stdin: "ignore", stdout: "ignore", stderr: "pipe" }
    )
    const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (code !== 0) throw new Error(`the recording shell ended with ${code}: ${said}`)
    const found = readLog(readFileSync(file("log"), "utf8"))
    rmSync(file("log"))
    return lines.map((_, index) => found.get(index) ?? { calls: [], changesFiles: false })
  }
}

const readLog = (log: string): ReadonlyMap<number, RecordedLine> => {
  const fields = log.split("\0")
  const found = new Map<number, { calls: Array<RecordedCall>; changesFiles: boolean }>()
  for (let at = 0; at + 2 < fields.length; ) {
    const [line = "", folder = "", count = ""] = fields.slice(at, at + 3)
    const entry = found.get(Number(line)) ?? { calls: [], changesFiles: false }
    found.set(Number(line), entry)
    const words = fields.slice(at + 3, at + 3 + Number(count))
    if (folder === WRITES) entry.changesFiles = true
    else entry.calls.push({ words, folder })
    at += 3 + Number(count)
  }
  return found
}

/** What a recorded program prints is what a hostile one would: words, options and patterns, where a name may stand. */
const OUTPUT = "-delete *  a;b\\n"

const recorder = (builtin: string): string => `
__record() {
  { ${builtin} printf '%s\\0' "$__n" "$PWD" "$#" "$@" >>"$__log"; } 2>/dev/null
  case $1 in
    pwd) ${builtin} printf '%s\\n' "$PWD" ;;
    *) ${builtin} printf '%b' '${OUTPUT}' ;;
  esac 2>/dev/null
  __all="$*"
  return $(( ($\{#__all} + __n) % 2 ))
}
cd() { __record cd "$@"; ${builtin} cd "$@"; }
`

const functionsFor = (names: ReadonlyArray<string>): string =>
  names.flatMap((name) => (name === "cd" ? [] : [`${name}() { __record ${name} "$@"; }`])).join("\n")

const driverIn = (dialect: Dialect): string => {
  const names =
    dialect === "bash" ? [...RECORDED_NAMES, ...RECORDED_PATHS] : RECORDED_NAMES.filter((name) => name !== "command")
  const builtin = dialect === "bash" ? "builtin" : "command"
  const prelude = `${recorder(builtin)}\n${functionsFor(names)}\n${
    dialect === "bash" ? 'function [ { __record [ "$@"; }\ncommand_not_found_handle() { __record "$@"; }' : ""
  }`
  // In the frame of the product: the text is a parameter, and \`shift\` takes it away before it is read.
  const own = `
shopt -u promptvars nullglob extglob nocaseglob dotglob
PATH=$__programs
ulimit -t 1
trap '((++__steps > 200)) && exit' DEBUG
set -- "$__line"
eval "shift
$1"`
  const run =
    dialect === "bash"
      ? `(${own}\n) </dev/null >/dev/null 2>&1`
      : `( PATH=$__programs __n=$__n __log=$__log exec /bin/sh -c "$__prelude"'
ulimit -t 1
eval "shift
$1"' sh "$__line" ) </dev/null >/dev/null 2>&1`
  return `
__work=$1 __log=$3 __n=0 __programs=$PWD/no-programs
exec 8<"$2"
shopt -s dotglob nullglob
__listing() { __names=(* src/*); builtin printf -v __found '%q ' "\${__names[@]}"; }
__listing; __before=$__found __kept=("\${__names[@]}")
shopt -u dotglob nullglob
${dialect === "bash" ? prelude : `__prelude=$(/bin/cat <<'__end'\n${prelude}\n__end\n)`}
while IFS= builtin read -r -d '' -u 8 __line; do
  ${run}
  shopt -s dotglob nullglob
  __listing
  if [[ $__found != "$__before" ]]; then
    builtin printf '%s\\0' "$__n" ${WRITES} 0 >>"$__log"
    for __name in "\${__names[@]}"; do
      __is=
      for __old in "\${__kept[@]}"; do if [[ $__name == "$__old" ]]; then __is=1; fi; done
      [[ $__is ]] || /bin/rm -rf -- "$__name"
    done
  fi
  shopt -u dotglob nullglob
  __n=$((__n + 1))
done
`
}
