/**
 * What a program that failed says it lacked, and what that comes to as a wish. Pure.
 *
 * The words are the program's, and whoever writes programs can write these words too: nothing is opened by them. They
 * become a question to a person, with the line that they stand in, and places of credentials are never part of it.
 */
import { basename, dirname, isAbsolute } from "node:path"
import { type CommandGrant, NO_GRANT, refusedGrant } from "./command-grants.ts"
import { parseDomainRule } from "./domain-rules.ts"
import { isSecretName } from "./secret-names.ts"

export interface Denial {
  /** The line that the wish is taken from. */
  readonly line: string
  /** As written: absolute, or with `~`. */
  readonly paths: ReadonlyArray<DeniedPath>
  /** Connections failed: to these hosts, where it names some. */
  readonly network: { readonly hosts: ReadonlyArray<string> } | undefined
}

interface DeniedPath {
  readonly path: string
  /** It was to be changed. */
  readonly isWrite: boolean
  /** It was not found, which is how it looks where it is not let in. */
  readonly isMissing: boolean
}

const DENIED_WORDS =
  /operation not permitted|permission ?(?:denied|error)|\bEPERM\b|\bEACCES\b|\bEROFS\b|read-only file system|access denied|forbidden/i

const MISSING_WORDS = /no such file or directory|\bENOENT\b|nonexistent directory/i

const NETWORK_WORDS =
  /could(?: not|n't) resolve|name resolution|name or service not known|network is unreachable|no route to host|ENETUNREACH|ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EAFNOSUPPORT|address family not supported|getaddrinfo|socket hang up|failed to lookup address|no such host|dial tcp/i

const WRITE_WORDS =
  /read-only file system|\bEROFS\b|cannot (?:create|touch|remove|move|make|write)|(?:could|can)(?: not|n't) (?:create|write|make|open .* for writing)|unable to (?:create|write|unlink)/i

/** Longer outputs end with what went wrong. */
const LINES_READ = 200
const LONGEST_LINE = 400
const MOST_PATHS = 16

export const denialIn = (output: string): Denial | undefined => {
  const lines = output
    .split("\n")
    .slice(-LINES_READ)
    .map((line) => line.slice(0, LONGEST_LINE).trim())
  const files = lines
    .filter((line) => DENIED_WORDS.test(line) || MISSING_WORDS.test(line))
    .map((line) => ({ line, paths: pathsIn(line) }))
  const named = files.filter(({ paths }) => paths.length > 0)
  const network = lines.filter((line) => NETWORK_WORDS.test(line))
  const [first] = [...named.map(({ line }) => line), ...network]
  if (first === undefined) return undefined
  return {
    line: first,
    paths: named
      .flatMap(({ line, paths }) =>
        paths.map((path) => ({ path, isWrite: WRITE_WORDS.test(line), isMissing: !DENIED_WORDS.test(line) }))
      )
      .slice(0, MOST_PATHS),
    network: network.length === 0 ? undefined : { hosts: [...new Set(network.flatMap(hostsIn))] }
  }
}

/** Absolute, or from the home folder; nothing with `..`, a NUL or a `~` inside. */
const pathsIn = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:^|[\s'"`‘“(=:,])((?:~\/|\/)[^\s'"`’”):;,\0]+)/g)]
    .map(([, path = ""]) => path.replace(/[.]+$/, ""))
    .filter((path) => path.length > 1 && !/(?:^|\/)\.\.(?:\/|$)/.test(path) && !path.slice(1).includes("~"))

const hostsIn = (line: string): ReadonlyArray<string> =>
  [
    /resolve (?:host|hostname|proxy)?:? ?['"]?([\w.-]+\.[a-z]{2,})/i,
    /(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+\.[a-z]{2,})/,
    /host=['"]([\w.-]+\.[a-z]{2,})['"]/,
    /lookup ([\w.-]+\.[a-z]{2,})/i,
    /https?:\/\/([\w.-]+\.[a-z]{2,})(?=[/:'"\s]|$)/i
  ].flatMap((pattern) => {
    const host = pattern.exec(line)?.[1]
    return host === undefined || parseDomainRule(host) === undefined ? [] : [host.toLowerCase()]
  })

/** What a program could reach as it ran, and what the person could who might open more to it. */
export interface Sight {
  readonly home: string
  /** Absolute. */
  readonly secrets: ReadonlyArray<string>
  /** Absolute and real; of what does not exist, the place where it would be. */
  readonly realPath: (path: string) => string
  /** What is there outside; `undefined`: nothing. */
  readonly kindOf: (path: string) => "file" | "folder" | undefined
  readonly mayOutside: (path: string, how: "read" | "write") => boolean
  readonly mayInside: (path: string, how: "read" | "write") => boolean
  /** Whether hosts can be opened one by one. */
  readonly filtersDomains: boolean
  readonly network: boolean
}

/** `NO_GRANT`: what was missing would not be opened, or was not missing. */
export const wishOfDenial = ({ network, paths }: Denial, sight: Sight): CommandGrant => {
  const wished = paths.flatMap(({ path, ...denied }) => wishFor({ ...denied, path: sight.realPath(path) }, sight))
  const of = (how: "read" | "write") =>
    collapsed(wished.filter((wish) => wish.how === how).map(({ path }) => path)).filter((path) =>
      mayBeGranted(path, sight)
    )
  const writes = of("write")
  const hosts = sight.filtersDomains ? (network?.hosts ?? []) : []
  return {
    writes,
    reads: of("read").filter((path) => !writes.includes(path)),
    domains: sight.network ? [] : hosts,
    network: network !== undefined && !sight.network && hosts.length === 0
  }
}

/** What is left of a wish that somebody stated: what the program cannot do already. */
export const lackOf = (wish: CommandGrant, sight: Sight): CommandGrant => {
  const lacking = (paths: ReadonlyArray<string>, how: "read" | "write") =>
    [...new Set(paths.map(sight.realPath))].filter((path) => !sight.mayInside(path, how))
  const writes = lacking(wish.writes, "write")
  return {
    writes,
    reads: lacking(wish.reads, "read").filter((path) => !writes.includes(path)),
    domains: sight.network ? [] : wish.domains,
    network: wish.network && !sight.network
  }
}

/** Why a stated wish is refused at once; `undefined`: it may be asked about. */
export const refusedWish = ({ reads, writes }: CommandGrant, sight: Sight): string | undefined =>
  [...writes, ...reads].map((path) => refusalOf(sight.realPath(path), sight)).find((reason) => reason !== undefined)

interface PathWish {
  readonly path: string
  readonly how: "read" | "write"
}

const wishFor = ({ isMissing, isWrite, path }: DeniedPath, sight: Sight): ReadonlyArray<PathWish> => {
  const kind = sight.kindOf(path)
  // What is not there was to be made; what is there and can be read inside was to be changed.
  const how = kind === undefined || isWrite || sight.mayInside(path, "read") ? "write" : "read"
  const place = how === "write" && kind !== "folder" ? nearestFolder(dirname(path), sight) : path
  // Where its folder can be seen, it is really missing.
  if (isMissing && sight.mayInside(place, "read")) return []
  return sight.mayInside(place, how) || !sight.mayOutside(place, how) ? [] : [{ path: place, how }]
}

const nearestFolder = (path: string, sight: Sight): string =>
  sight.kindOf(path) === "folder" || path === "/" ? path : nearestFolder(dirname(path), sight)

const mayBeGranted = (path: string, sight: Sight): boolean => refusalOf(path, sight) === undefined

const refusalOf = (path: string, sight: Sight): string | undefined =>
  !isAbsolute(path)
    ? `${path} is not absolute`
    : isSecretName(basename(path))
      ? `${path} looks like a secret`
      : refusedGrant(path, sight)

/** Three of one folder are the folder, where that may be granted; else they stay single (`mayBeGranted` comes after). */
const collapsed = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const unique = [...new Set(paths)]
  const siblings = (path: string) => unique.filter((other) => dirname(other) === dirname(path))
  const all = unique.map((path) => (siblings(path).length >= 3 && dirname(path) !== "/" ? dirname(path) : path))
  return [...new Set(all)].filter((path, _, every) => !every.some((other) => path.startsWith(`${other}/`)))
}

/** What commands of package managers and of the network usually need, asked for before they fail. */
interface UsualNeed {
  readonly commands: ReadonlySet<string> | "all"
  readonly alsoBare?: true
  readonly writes: ReadonlyArray<string>
}

const INSTALLS = new Set("install i ci add remove rm uninstall update up upgrade publish outdated audit".split(" "))

const NEEDS: Readonly<Record<string, UsualNeed>> = {
  npm: { commands: INSTALLS, writes: ["~/.npm"] },
  npx: { commands: "all", writes: ["~/.npm"] },
  yarn: { commands: INSTALLS, alsoBare: true, writes: ["~/.cache/yarn", "~/.yarn"] },
  pnpm: { commands: INSTALLS, writes: ["~/.local/share/pnpm", "~/.cache/pnpm"] },
  bun: { commands: INSTALLS, writes: ["~/.bun/install/cache"] },
  bunx: { commands: "all", writes: ["~/.bun/install/cache"] },
  pip: { commands: new Set(["install", "download", "index"]), writes: ["~/.cache/pip"] },
  pip3: { commands: new Set(["install", "download", "index"]), writes: ["~/.cache/pip"] },
  cargo: {
    commands: new Set(["fetch", "update", "install", "publish", "search", "add"]),
    writes: ["~/.cargo/registry"]
  },
  go: { commands: new Set(["get", "install"]), writes: ["~/go"] },
  git: { commands: new Set(["clone", "fetch", "pull", "push", "ls-remote"]), writes: [] },
  ssh: { commands: "all", writes: [] },
  scp: { commands: "all", writes: [] },
  sftp: { commands: "all", writes: [] },
  curl: { commands: "all", writes: [] },
  wget: { commands: "all", writes: [] }
}

/** `words`: a program and its arguments, as far as they are known. */
export const usualNeed = ([program = "", ...args]: ReadonlyArray<string>): CommandGrant => {
  const need = Object.hasOwn(NEEDS, program) ? NEEDS[program] : undefined
  if (need === undefined || args.some((word) => word === "--help" || word === "--version")) return NO_GRANT
  const [sub, then] = args.filter((word) => !word.startsWith("-"))
  const isMeant =
    need.commands === "all" ||
    (sub === undefined ? need.alsoBare === true : need.commands.has(sub)) ||
    (program === "git" && sub === "submodule" && (then === "update" || then === "add"))
  return isMeant ? { ...NO_GRANT, writes: need.writes, network: true } : NO_GRANT
}
