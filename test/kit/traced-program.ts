/**
 * Runs programs under strace and tells what they did that reading does not need: other programs, changes, connections,
 * files outside of the folder that they were given.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export const canTrace =
  Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).exitCode === 0

export const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

const CALLS = [
  ...["execve", "execveat", "open", "openat", "openat2", "creat", "connect", "truncate", "ftruncate"],
  ...["unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "mknod", "mknodat"],
  ...["link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat"],
  ...["utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr", "removexattr"],
  ...["sethostname", "settimeofday", "clock_settime"]
]

/** A question mark: not every kind of machine has the call. */
const TRACED = `trace=${CALLS.map((name) => `?${name}`).join(",")}`

export interface TracedPlace {
  /** What it may read: the folder that it works in. */
  readonly tree: string
  /** Stands in for the home folder, which it may not read. */
  readonly home: string
  /** Where the rest is kept. */
  readonly root: string
}

export interface Allowed {
  /** Beginnings of paths that this program reads of the system; `~` is the home folder. */
  readonly reads?: ReadonlyArray<string>
  /** Paths that it writes all the same, with good reason. */
  readonly writes?: RegExp
  /** Programs that it starts by name. */
  readonly starts?: ReadonlyArray<string>
}

export interface ProgramRun {
  readonly call: ReadonlyArray<string>
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Lines of strace. */
  readonly trace: ReadonlyArray<string>
}

/** Of every program: libraries, languages, time zones, accounts, devices that are no files, itself. */
const SYSTEM = [
  ...["/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/local/lib/"],
  ...["/usr/share/locale/", "/usr/share/zoneinfo/", "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime"],
  ...["/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/dev/null", "/dev/tty", "/dev/stdin", "/dev/urandom"],
  ...["/proc/self/", "/proc/filesystems", "/usr/share/locale-langpack/"],
  ...["/etc/userdb/", "/run/userdb/", "/run/host/userdb/", "/run/systemd/userdb/"]
]
const STREAMS = /^\/dev\/(?:null|tty|stdout|stderr|pts\/\d+)$/
/** Services that answer questions about accounts. */
const ACCOUNT_SERVICES = /sun_path="\/(?:var\/)?run\/(?:nscd|systemd|dbus)\/|sun_path="\/var\/lib\/sss\/pipes\//

/** One after the other, by a shell: a process for each call is all that it costs. */
export const runAll = async (
  calls: ReadonlyArray<ReadonlyArray<string>>,
  place: TracedPlace,
  { input = "", isTraced }: { readonly input?: string; readonly isTraced: boolean }
): Promise<ReadonlyArray<ProgramRun>> => {
  const scratch = mkdtempSync(join(place.root, "calls-"))
  const at = (name: string): string => join(scratch, name)
  writeFileSync(at("input"), input)
  const script = calls.map(
    (call, index) =>
      `true <mark-${index}; { ${call.map(quoted).join(" ")}; } <${at("input")} >${at(`out-${index}`)} 2>${at(`err-${index}`)}; echo $? >${at(`exit-${index}`)}`
  )
  writeFileSync(at("script"), script.join("\n"))
  const tracer = ["strace", "-f", "-qq", "-y", "--seccomp-bpf", "-s", "4096", "-o", at("trace"), "-e", TRACED]
  const child = Bun.spawn([...(isTraced ? tracer : []), "/bin/sh", at("script")], {
    cwd: place.tree,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: 50_000,
    env: { PATH: SYSTEM_PATH, HOME: place.home, LANG: "C.UTF-8", TERM: "xterm" }
  })
  await child.exited
  const text = (name: string): string => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "")
  const traces = isTraced ? tracesIn(text("trace")) : []
  const runs = calls.map((call, index) => ({
    call,
    exitCode: Number.parseInt(text(`exit-${index}`) || "-1", 10),
    stdout: text(`out-${index}`),
    stderr: text(`err-${index}`),
    trace: traces[index] ?? []
  }))
  rmSync(scratch, { recursive: true })
  return runs
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** The lines of each call: the shell itself opens a mark before it. What else the shell does is left out. */
const tracesIn = (trace: string): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<Array<string>> = []
  const [shell = ""] = /^\d+/.exec(trace) ?? []
  for (const line of trace.split("\n")) {
    if (!line.startsWith(`${shell} `)) found.at(-1)?.push(line)
    else if (/ open(?:at)?\(.*"mark-\d+"/.test(line)) found.push([])
  }
  return found
}

/** What it did that reading does not need. */
export const strayed = (
  { call: [name = ""], trace }: ProgramRun,
  place: TracedPlace,
  allowed: Allowed
): ReadonlyArray<string> => {
  const home = (path: string): string => (path.startsWith("~/") ? join(place.home, path.slice(2)) : path)
  const own = SYSTEM_PATH.split(":").map((folder) => `${folder}/${name}`)
  const readable = [...SYSTEM, ...own, ...(allowed.reads ?? []).map(home), `${place.tree}/`]
  let isStarted = false
  return trace.flatMap((line): ReadonlyArray<string> => {
    const [, call = "", rest = ""] = /^\d+ +(\w+)\((.*)$/s.exec(line) ?? []
    if (call === "" || line.includes("<... ")) return []
    const stray = [`${call}(${rest.slice(0, 200)}`]
    switch (call) {
      case "execve":
      case "execveat": {
        const path = /^"([^"]*)"/.exec(rest)?.[1] ?? ""
        const isOwn = !isStarted || (allowed.starts ?? []).includes(path.slice(path.lastIndexOf("/") + 1))
        isStarted = true
        return isOwn ? [] : stray
      }
      case "connect":
        return ACCOUNT_SERVICES.test(rest) ? [] : stray
      case "open":
      case "openat":
      case "openat2": {
        const path = pathOf(rest, place.tree)
        // No more than a place in the tree of names, or a try how files are opened here.
        if (rest.includes("O_PATH") || (name === "find" && rest.includes('"/", O_RDONLY|O_CLOEXEC)'))) return []
        if (/O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(rest)) {
          return STREAMS.test(path) || allowed.writes?.test(path) === true ? [] : stray
        }
        return `${path}/`.startsWith(`${place.tree}/`) || readable.some((start) => path.startsWith(start)) ? [] : stray
      }
      default:
        return allowed.writes?.test(pathOf(rest, place.tree)) === true ? [] : stray
    }
  })
}

/** The path of a call, made absolute by the descriptor or the working folder that it starts from. */
const pathOf = (rest: string, cwd: string): string => {
  const [, base, path = ""] =
    /^(?:\w+(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"/.exec(rest) ?? /^\w+<([^>]*)>/.exec(rest) ?? []
  const whole = path.startsWith("/") ? path : join(base ?? cwd, path)
  return join("/", whole)
}
