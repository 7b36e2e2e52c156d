/**
 * Which settings of a repository leave git that only reads as it is. A repository's own configuration can name programs
 * (`core.fsmonitor`, `diff.external`, filters) and another work tree; so only what is listed here is harmless, and every
 * other key is a reason to ask.
 *
 * What concerns connections (`core.sshCommand`, `credential.helper`) is listed: git that runs unasked opens none.
 */
import { type ConfigEntry, gitBoolean } from "./git-config.ts"

type Check = (setting: ConfigEntry) => boolean

const always: Check = () => true
const isBoolean: Check = ({ value }) => gitBoolean(value) !== undefined
const isOff: Check = ({ value }) => gitBoolean(value) === false
/** `%G…` calls the program that checks signatures. */
const isPlainFormat: Check = ({ value }) => value !== undefined && !/%G|%\(\s*(?:signature|describe)/i.test(value)
const isPlainKey: Check = ({ value }) => value !== undefined && !/signature|describe/i.test(value)
/** Git shows lines of such a file, so it may be one of the project only. */
const isOwnFile: Check = ({ value }) => value !== undefined && !/^[/~%]|(?:^|[/])[.][.](?:[/]|$)/.test(value)
const isOneOf =
  (...values: ReadonlyArray<string>): Check =>
  ({ value }) =>
    value !== undefined && values.includes(value)

/** Of these sections every key is a plain setting, or acts only in commands that write or connect. */
const HARMLESS_SECTIONS = new Set([
  ...[
    "advice",
    "alias",
    "am",
    "apply",
    "author",
    "blame",
    "branch",
    "checkout",
    "clean",
    "clone",
    "color",
    "column",
    "commit"
  ],
  ...[
    "committer",
    "credential",
    "extensions",
    "feature",
    "fetch",
    "fsck",
    "gc",
    "grep",
    "help",
    "http",
    "i18n",
    "index"
  ],
  ...[
    "init",
    "maintenance",
    "notes",
    "pack",
    "pull",
    "push",
    "rebase",
    "receive",
    "repack",
    "rerere",
    "revert",
    "safe"
  ],
  ...[
    "sendemail",
    "sparse",
    "splitindex",
    "ssh",
    "stash",
    "submodule",
    "tag",
    "transfer",
    "url",
    "user",
    "versionsort"
  ],
  ...["worktree", "mergetool", "difftool", "guitool", "sequence", "mailmap", "showbranch", "completion"],
  // Of other programs, which git itself does not read.
  ...["github", "gitlab", "gitflow", "gitbutler", "gui", "hub", "svn", "svn-remote", "vscode", "magit", "forge", "jj"]
])

const CORE = new Set([
  ...["abbrev", "attributesfile", "autocrlf", "bare", "bigfilethreshold", "checkroundtripencoding", "checkstat"],
  ...["commentchar", "commentstring", "commitgraph", "compression", "createobject", "deltabasecachelimit"],
  ...[
    "disambiguate",
    "editor",
    "eol",
    "excludesfile",
    "filemode",
    "filesreflocktimeout",
    "fscache",
    "fsmonitorhookversion"
  ],
  ...["fsync", "fsyncmethod", "fsyncobjectfiles", "gitproxy", "hidedotfiles", "hookspath", "ignorecase", "ignorestat"],
  ...["logallrefupdates", "longpaths", "loosecompression", "maxtreedepth", "multipackindex", "notesref"],
  ...["packedgitlimit", "packedgitwindowsize", "packedrefstimeout", "precomposeunicode", "preferredsymlinkrefs"],
  ...["preloadindex", "protecthfs", "protectntfs", "quotepath", "repositoryformatversion", "restrictinheritedhandles"],
  ...["safecrlf", "sharedrepository", "sparsecheckout", "sparsecheckoutcone", "splitindex", "sshcommand", "askpass"],
  ...["symlinks", "trustctime", "unsetenvvars", "untrackedcache", "usereplacerefs", "warnambiguousrefs", "whitespace"]
])

const DIFF = new Set([
  ...["algorithm", "autorefreshindex", "colormoved", "colormovedws", "context", "dirstat", "dstprefix", "guitool"],
  ...["ignoresubmodules", "indentheuristic", "interhunkcontext", "mnemonicprefix", "noprefix", "orderfile", "relative"],
  ...["renamelimit", "renames", "srcprefix", "statgraphwidth", "statnamewidth", "statcount", "suppressblankempty"],
  ...["tool", "wordregex", "wserrorhighlight"]
])

const REMOTE = new Set([
  ...["fetch", "followremotehead", "gh-resolved", "mirror", "partialclonefilter", "promisor", "proxy"],
  ...["proxyauthmethod", "prune", "prunetags", "push", "pushurl", "serveroption", "skipdefaultupdate", "skipfetchall"],
  ...["tagopt", "url"]
])

/** Plain keys of sections in which others are not. `section.*.key` is one with a subsection. */
const CHECKED: Readonly<Record<string, Check>> = {
  // Sorting by the signature checks it, with another program.
  "branch.sort": isPlainKey,
  "blame.ignorerevsfile": isOwnFile,
  "core.attributesfile": isOwnFile,
  "core.excludesfile": isOwnFile,
  "diff.orderfile": isOwnFile,
  "fsck.skiplist": isOwnFile,
  "mailmap.file": isOwnFile,
  "core.fsmonitor": isBoolean,
  "diff.submodule": isOneOf("short", "log"),
  "diff.*.algorithm": always,
  "diff.*.binary": always,
  "diff.*.cachetextconv": always,
  "diff.*.funcname": always,
  "diff.*.wordregex": always,
  "diff.*.xfuncname": always,
  // What the installation of git-lfs writes, to the letter.
  "filter.lfs.clean": isOneOf("git-lfs clean -- %f", "git-lfs clean %f"),
  "filter.lfs.smudge": isOneOf("git-lfs smudge -- %f", "git-lfs smudge --skip -- %f", "git-lfs smudge %f"),
  "filter.lfs.process": isOneOf("git-lfs filter-process", "git-lfs filter-process --skip"),
  "filter.lfs.required": isBoolean,
  "format.pretty": isPlainFormat,
  "gpg.format": always,
  "gpg.ssh.allowedsignersfile": always,
  "lfs.*.access": always,
  "lfs.*.locksverify": always,
  "lfs.allowincompletepush": always,
  "lfs.concurrenttransfers": always,
  "lfs.fetchexclude": always,
  "lfs.fetchinclude": always,
  "lfs.locksverify": always,
  "lfs.repositoryformatversion": always,
  "lfs.url": always,
  // It merges anew, with the drivers of the repository.
  "log.diffmerges": ({ value }) => value !== undefined && !/^(?:r|remerge)$/i.test(value),
  "log.showsignature": isOff,
  // The well-known driver that keeps our side.
  "merge.*.driver": isOneOf("true"),
  "merge.*.name": always,
  "merge.*.recursive": always,
  "protocol.version": always,
  "status.submodulesummary": isOff,
  "tag.sort": isPlainKey
}

/** Sections whose keys without a subsection are plain, but for those that are checked above. */
const PLAIN_SECTIONS = new Set(["format", "log", "merge", "status"])

export const isHarmlessSetting = (setting: ConfigEntry): boolean => {
  const { key, name, section, subsection } = setting
  const general = subsection === undefined ? key : `${section}.*.${name}`
  const check = own(CHECKED, key) ?? own(CHECKED, general)
  if (check !== undefined) return check(setting)
  switch (section) {
    case "core":
      return subsection === undefined && CORE.has(name)
    case "diff":
      return subsection === undefined && DIFF.has(name)
    case "pager":
      return isBoolean(setting)
    case "pretty":
      return isPlainFormat(setting)
    case "remote":
      return subsection === undefined ? name === "pushdefault" : REMOTE.has(name)
    default:
      return HARMLESS_SECTIONS.has(section) || (PLAIN_SECTIONS.has(section) && subsection === undefined)
  }
}

/** Its value is a file that git reads when it only reads. */
export const namesFile = ({ key }: ConfigEntry): boolean => own(CHECKED, key) === isOwnFile

const own = (checks: Readonly<Record<string, Check>>, key: string): Check | undefined =>
  Object.hasOwn(checks, key) ? checks[key] : undefined

/** `https://name:password@host`, or a token in place of the name. */
const CREDENTIALS = /:\/\/(?:[^/@\s]*:[^/@\s]+|[^/@\s]{20,})@/

/** Its value is, or holds, something that should not be shown. */
export const holdsCredentials = ({ key, value = "" }: ConfigEntry): boolean =>
  CREDENTIALS.test(key) ||
  CREDENTIALS.test(value) ||
  /^http\..*extraheader$|^credential\.|token|password|secret/.test(key)
