/**
 * What a line that ran unasked must not have done. The exceptions are what the machine itself does behind every program:
 * each is named with its reason, and as narrow as it can be told.
 */
import { basename, relative } from "node:path"
import { blockedSegment, isInside } from "../../../src/files/containment.ts"
import { kernelPath } from "../../../src/files/real-path.ts"
import { powerOf } from "../../../src/policy/power.ts"
import { PROGRAMS } from "../../../src/policy/reading/program-list.ts"
import { type HostileTree, SECRETS } from "./hostile-tree.ts"
import type { TraceEvent } from "./trace-log.ts"
import type { LineTrace } from "./traced-shell.ts"

/** What is looked for depends on what was permitted. */
export interface Permitted {
  /** Only what is in the workspace, and not closed. */
  readonly readsInsideOnly: boolean
  readonly writes: "nothing" | "workspace" | "anything"
  /** Programs that the tables know; otherwise any but those that `denied` names. */
  readonly startsKnownOnly: boolean
  readonly connects: boolean
  readonly denied?: string
  /** Programs that rules name, whether there is a table or not. */
  readonly named?: ReadonlyArray<string>
}

export interface Fault {
  readonly what: string
  readonly text: string
}

export const faultsIn = (trace: LineTrace, permitted: Permitted, tree: HostileTree): ReadonlyArray<Fault> => [
  ...trace.events.flatMap((event) => {
    const what = faultOf(event, permitted, tree)
    return what === undefined ? [] : [{ what, text: event.text }]
  }),
  ...(permitted.readsInsideOnly ? printed(trace.output) : [])
]

const printed = (output: string): ReadonlyArray<Fault> =>
  Object.entries(SECRETS).flatMap(([name, secret]) => {
    const at = output.indexOf(secret)
    return at === -1
      ? []
      : [{ what: `prints ${name}`, text: JSON.stringify(output.slice(Math.max(0, at - 60), at + 40)) }]
  })

const faultOf = (event: TraceEvent, permitted: Permitted, tree: HostileTree): string | undefined => {
  switch (event.kind) {
    case "starts":
      return startFault(event, permitted)
    case "connects":
      return permitted.connects || isLocalService(event) ? undefined : `connects to ${event.path}`
    case "writes":
      return writeFault(event, permitted, tree)
    case "reads":
      return permitted.readsInsideOnly ? readFault(event, tree) : undefined
    case "signals":
      // A shell and git end the processes that they started themselves.
      return undefined
  }
}

const SYSTEM_PROGRAMS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/lib", "/usr/local/bin"]

/** Started by programs of the tables, not by the line. */
const HELPERS: ReadonlyMap<string, string> = new Map([
  ["git", "sub-commands of git are git again"],
  ["dash", "what `/bin/sh` is here, for programs that are scripts"]
])

const KNOWN = new Set(PROGRAMS.flatMap((table) => [table.name, ...(table.starts ?? []), ...(table.mayStart ?? [])]))
/** Those that do more than read whatever they are given. */
const ACTING = new Set(
  PROGRAMS.flatMap(({ name, nature = "reads" }) => (typeof nature === "function" || nature === "reads" ? [] : [name]))
)

const startFault = (
  { path }: TraceEvent,
  { denied, named = [], startsKnownOnly, writes }: Permitted
): string | undefined => {
  const name = basename(path)
  if (denied !== undefined && name === denied) return `starts ${path}, which is denied`
  if (!startsKnownOnly) return undefined
  const real = kernelPath("/", path) ?? path
  const isSystem = path.startsWith("/") && SYSTEM_PROGRAMS.some((folder) => isInside(folder, real))
  if (writes === "nothing" && ACTING.has(name)) return `starts ${path}, which acts`
  const isKnown = KNOWN.has(name) || named.includes(name) || HELPERS.has(name) || HELPERS.has(basename(real))
  return isSystem && isKnown ? undefined : `starts ${path}`
}

/** The C library asks a daemon for names of users first, which hardly any machine has; netlink is the kernel itself. */
const isLocalService = ({ path }: TraceEvent): boolean =>
  path.includes('sun_path="/var/run/nscd/socket"') || path.startsWith("{sa_family=AF_NETLINK,")

/** Streams and nothing: what is written there is not kept. */
const isNoFile = (path: string): boolean =>
  /^\/dev\/(?:null|tty|stdin|stdout|stderr|zero|full|u?random|pts(?:\/.*)?|fd(?:\/.*)?)$|^(?:pipe|socket|anon_inode):/.test(
    path
  )

const writeFault = (event: TraceEvent, { writes }: Permitted, tree: HostileTree): string | undefined => {
  const { powerFacts, work } = tree
  const real = kernelPath("/", event.path) ?? event.path
  if (writes === "anything" || isNoFile(event.path) || / EISDIR /.test(event.text)) return undefined
  if (isIndexOfGit({ ...event, path: real }, work) || isOwnScratch(event)) return undefined
  const isOpen = isInside(work, real) && blockedSegment(relative(work, real), "write") === null
  if (writes === "nothing" || !isOpen) return `changes ${event.path}`
  return powerOf(real, powerFacts) === undefined ? undefined : `changes ${event.path}, which gives power`
}

/**
 * `git diff` keeps what it learned of the dates of files, optional locks or not; told otherwise (`diff.autoRefreshIndex`)
 * it would list files that did not change.
 */
const isIndexOfGit = ({ path, program }: TraceEvent, work: string): boolean =>
  basename(program) === "git" && isInside(work, path) && /(?:^|\/)\.git\/index(?:\.lock)?$/.test(relative(work, path))

/**
 * `tac` keeps what comes from a pipe, and `sort` what does not fit into memory, in new files that only they can open, and
 * that are gone when they end.
 */
const isOwnScratch = ({ path, program, text }: TraceEvent): boolean =>
  /^(?:tac|sort)$/.test(basename(program)) &&
  new RegExp(`^/tmp/${basename(program)}\\w{6}$`).test(path) &&
  (/\bO_CREAT\|O_EXCL(?:\|O_CLOEXEC)?, 0600\b/.test(text) || /\bunlink(?:at)?\(/.test(text))

const readFault = (event: TraceEvent, tree: HostileTree): string | undefined => {
  const { isFolder, path, program } = event
  if (isNoFile(path) || isOnlyAName(event)) return undefined
  const real = event.failed ? (kernelPath("/", path) ?? path) : path
  if (isSystemRead({ ...event, path: real }, tree)) return undefined
  if (!isInside(tree.work, real)) return `reads ${path}`
  // Names are no secret, and git reads its own files.
  if (isFolder || basename(program) === "git") return undefined
  const closed = blockedSegment(relative(tree.work, real), "read")
  return closed === null || isIgnoreFile(real) ? undefined : `reads ${path}, which is closed`
}

/** Nothing can be read from it; or it was a link, and not followed; or `find` tries out how files are opened here. */
const isOnlyAName = ({ failed, program, text }: TraceEvent): boolean =>
  /\bO_PATH\b/.test(text) ||
  (basename(program) === "find" && text.includes('"/", O_RDONLY|O_CLOEXEC)')) ||
  (failed && /\bO_NOFOLLOW\b/.test(text) && / ELOOP /.test(text))

/** What a search through files reads to know which it must leave out. */
const isIgnoreFile = (path: string): boolean => /\/\.git(?:\/info\/exclude|\/commondir)?$/.test(path)

const SYSTEM_READS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\/etc\/ld\.so\.(?:cache|preload)$/, "the loader"],
  [/^(?:\/usr)?\/lib(?:32|64|x32|exec)?\//, "libraries, and what belongs to them: locales, converters, parts of git"],
  [/^\/usr\/share\/(?:locale|locale-langpack|zoneinfo|terminfo|i18n|misc|file|git-core|nodejs)\//, "data of programs"],
  [/^\/usr\/share\/(?:perl5?|awk|tabset|finfo)\//, "data of languages, and remarks on folders"],
  [/^\/usr\/(?:bin\/)?pyvenv\.cfg$/, "where Python is installed"],
  [/^\/etc\/(?:localtime|locale\.alias|terminfo)(?:\/|$)/, "language, time, terminal"],
  [/^\/etc\/(?:gitconfig|gitattributes|magic(?:\.mgc)?)$/, "configuration that an administrator wrote"],
  [/^\/(?:etc|run(?:\/host|\/systemd)?|usr(?:\/local)?\/lib)\/userdb(?:\/|$)/, "users who are in no list"],
  [/^\/proc\/(?:filesystems|mounts|cpuinfo|meminfo|stat|uptime|loadavg|version|sys\/.*)$/, "facts of the machine"],
  [/^\/proc\/(?:self|\d+)\/(?:maps|mounts|mountinfo|cgroup|stat|status|fd|task\/.*)$/, "what a process asks of itself"],
  [/^\/sys\/(?:devices\/system\/|fs\/cgroup\/|kernel\/mm\/)/, "how many processors there are"]
]

/** Programs that print names of users; they open the lists as the C library does. */
const NAME_USERS = new Set(
  "ls id whoami groups stat find tree git bash sh dash ps pgrep who users w logname".split(" ")
)
const NAME_LISTS = /^\/etc\/(?:passwd|group|nsswitch\.conf)$/

/** What is asked of the machine by programs whose purpose that is. */
const PROCESSES =
  /^\/proc(?:$|\/(?:tty\/drivers|(?:\d+|self)\/(?:stat|status|cmdline|statm|wchan|ctty|environ|exe|task)?)$)/
const ASKED_FOR: ReadonlyMap<string, RegExp> = new Map([
  ["lscpu", /^\/(?:proc|sys)(?:\/|$)/],
  ["lsblk", /^\/(?:proc|sys|run\/udev)(?:\/|$)/],
  // These open the environment of every process whatever they print; that they print none is the matter of their tables.
  ...["ps", "pgrep", "pidof"].map((name) => [name, PROCESSES] as const),
  ...["uptime", "who", "users", "w"].map((name) => [name, /^\/(?:var\/)?run\/utmp$/] as const)
])

/** Files of the user that a program reads for itself, wherever it is called. */
const OWN_FILES: ReadonlyMap<string, RegExp> = new Map([
  ["git", /^\.gitconfig$|^\.config\/git\//],
  // For the ignore rules that git has.
  ["rg", /^\.gitconfig$|^\.config\/git\//],
  ["jq", /^\.jq$/],
  // A login shell begins with the files of its user.
  ["bash", /^\.(?:bash_profile|bash_login|profile|bash_logout)$/]
])
const LOGIN_FILES = /^\/etc\/(?:profile(?:\.d(?:\/.*)?)?|bash\.bashrc|environment)$/

const isSystemRead = (
  { path, program, text }: TraceEvent,
  { gitAttributes, home, ripgrepConfig }: HostileTree
): boolean => {
  const name = basename(program)
  if (path === ripgrepConfig) return name === "rg"
  if (path === gitAttributes) return name === "git"
  if (SYSTEM_READS.some(([pattern]) => pattern.test(path))) return true
  if (NAME_LISTS.test(path)) return NAME_USERS.has(name) && text.includes("O_CLOEXEC")
  if (ASKED_FOR.get(name)?.test(path) === true) return true
  // Programs that are scripts are read by the shell that runs them.
  if (/^\/usr\/bin\/[^/]+$/.test(path))
    return name === "bash" || name === "sh" || name === "dash" || (KNOWN.has(name) && basename(path).startsWith(name))
  if (LOGIN_FILES.test(path)) return name === "bash" || name === "sh" || name === "dash"
  // Outside a repository git looks for them in every folder above a file; they name, and do nothing by themselves.
  if (name === "git" && basename(path) === ".gitattributes") return true
  return isInside(home, path) && OWN_FILES.get(name)?.test(relative(home, path)) === true
}
