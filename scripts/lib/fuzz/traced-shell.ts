/**
 * Runs lines in a real bash, in the frame and with the environment of the product, under `strace`, in a copy of the tree
 * that only they see; tells for each what it opened, changed, started and connected to.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { invocation } from "../../../src/shell/invocation.ts"
import { CONTAINED } from "./contained.ts"
import type { HostileTree } from "./hostile-tree.ts"
import { readTrace, type TraceEvent } from "./trace-log.ts"

export interface LineTrace {
  readonly events: ReadonlyArray<TraceEvent>
  /** What it printed, errors included. */
  readonly output: string
  /** It was ended: it took too long. */
  readonly isEndless: boolean
}

/** What can change files, start programs, or reach others. Descriptors are followed to where they were opened. */
const TRACED = [
  ...["clone", "clone3", "fork", "vfork", "execve", "execveat", "open", "openat", "openat2", "creat"],
  ...[
    "unlink",
    "unlinkat",
    "rename",
    "renameat",
    "renameat2",
    "mkdir",
    "mkdirat",
    "rmdir",
    "link",
    "linkat",
    "symlink"
  ],
  ...[
    "symlinkat",
    "mknod",
    "mknodat",
    "chmod",
    "fchmodat",
    "chown",
    "lchown",
    "fchownat",
    "truncate",
    "utime",
    "utimes"
  ],
  ...["utimensat", "setxattr", "lsetxattr", "removexattr", "connect", "bind", "mount", "kill", "ptrace"]
]

const CPU_SECONDS = 2
/** Of 1 KiB; more than any line here prints, unless it never ends. */
const OUTPUT_BLOCKS = 4096

export class TracedShell {
  private readonly tree: HostileTree
  private readonly scratch: string
  private runs = 0

  /** `scratch`: an empty folder beside the tree, not in it. */
  constructor(tree: HostileTree, scratch: string) {
    this.tree = tree
    this.scratch = scratch
  }

  /** Side by side with others of the same shell; nothing that a batch changes is seen by another. */
  async run(
    lines: ReadonlyArray<string>,
    variables: Readonly<Record<string, string>>,
    seconds = 20
  ): Promise<ReadonlyArray<LineTrace>> {
    const folder = join(this.scratch, String(this.runs++))
    const [copy, given] = [join(folder, "tree"), join(folder, "given")]
    cpSync(this.tree.root, copy, { recursive: true, verbatimSymlinks: true })
    mkdirSync(join(given, "output"), { recursive: true })
    const file = (name: string) => join(given, name)
    writeFileSync(file("lines"), lines.map((line) => `${line}\0`).join(""))
    writeFileSync(file("frame"), frameOf(file("jobs")))
    writeFileSync(file("driver"), DRIVER)
    try {
      const child = Bun.spawn(
        [
          ...[...CONTAINED, "--bind", copy, this.tree.root, "--bind", given, given, "--uid", "1000", "--gid", "1000"],
          ...["--die-with-parent", "--new-session", "--chdir", this.tree.work],
          ...["strace", "-f", "--seccomp-bpf", "-y", "-qq", "-s", "200", "-e", "signal=none"],
          ...["-e", `trace=${TRACED.map((name) => `?${name}`).join(",")}`, "-o", file("log")],
          ...["bash", "--norc", file("driver"), given, String(seconds)]
        ],
        { env: { ...variables }, stdin: "ignore", stdout: "ignore", stderr: "pipe" }
      )
      // Each line has its own limit; this one is for what ends the shell that keeps it.
      const watchdog = setTimeout(() => child.kill("SIGKILL"), 60_000 + lines.length * seconds * 1000)
      const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
      clearTimeout(watchdog)
      if (code !== 0 || !existsSync(file("done"))) throw new Error(`the traced shell ended with ${code}: ${said}`)
      const traces = readTrace(readFileSync(file("log"), "utf8"), lines.length, given)
      const endless = new Set(textOf(file("endless")).split("\n"))
      return traces.map((events, index) => ({
        events,
        output: textOf(join(given, "output", String(index))),
        isEndless: endless.has(String(index))
      }))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "latin1") : "")

/** The script that the product gives to bash, with the line as its first parameter. */
const frameOf = (jobsFile: string): string => {
  const { argv } = invocation({
    program: { path: "bash", dialect: "bash" },
    command: "",
    jobsFile,
    isTerminal: false
  })
  return argv[2] ?? ""
}

/**
 * Before each line it looks for a file that nobody has: that is how the log tells where one begins. A line that takes too
 * long is ended with its whole group.
 */
const DRIVER = `
__given=$1 __seconds=$2 __n=0
__frame=$(<"$__given/frame")
mkfifo "$__given/ended"
exec 8<"$__given/lines" 6<>"$__given/ended"
set -m
while IFS= read -r -d '' -u 8 __line; do
  { : <"/line/$__n"; } 2>/dev/null
  {
    set +m
    (
      exec 6<&- 8<&- </dev/null >"$__given/output/$__n"
      ulimit -t ${CPU_SECONDS} -f ${OUTPUT_BLOCKS}
      set -- "$__line"
      unset __given __seconds __n __line
      eval "unset __frame
$__frame"
    )
    echo >&6
  } &
  if ! read -r -t "$__seconds" -u 6 __ended; then
    kill -KILL -- "-$!"
    echo "$__n" >>"$__given/endless"
  fi
  wait
  __n=$((__n + 1))
done 2>/dev/null
: >"$__given/done"
# What the lines left behind would be waited for; strace is what started this shell.
for __left in /proc/[1-9]*; do
  __left=\${__left#/proc/}
  case $__left in 1 | $$ | $PPID) ;; *) kill -KILL "$__left" ;; esac
done 2>/dev/null
`
