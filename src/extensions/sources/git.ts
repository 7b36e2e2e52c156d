/**
 * Git for fetching extensions: one commit, without history and without submodules. Nobody is there to type a password, and
 * every command has a time limit.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect } from "effect"
import { type ChildVariables, childVariables, type Variables } from "../../system/child-variables.ts"
import { type ProgramError, runProgram } from "../../system/programs.ts"
import { ExtensionError } from "../extension-error.ts"
import { cloneUrl, shownSource } from "../source.ts"

export interface GitContext {
  /** Of the process: proxies, keys and helpers of the user stay in force. */
  readonly variables: Variables
}

const FETCH_WITHIN = Duration.minutes(5)
const ASK_WITHIN = Duration.seconds(30)

/** The wanted commit, checked out in `target`, which must not exist. */
export const fetchCommit = Effect.fn("Extensions.fetchCommit")(function* (
  { ref, source, target }: { readonly source: string; readonly ref: string | undefined; readonly target: string },
  context: GitContext
) {
  const wanted = ref ?? "HEAD"
  yield* checkRef(wanted)
  yield* git(["init", "--quiet", "--", target], source, context)
  yield* git(["-C", target, "remote", "add", "--", "origin", cloneUrl(source)], source, context)
  const fetched = yield* run(
    ["-C", target, "fetch", "--quiet", "--depth", "1", "--", "origin", wanted],
    FETCH_WITHIN,
    context
  )
  if (fetched.exitCode !== 0) return yield* refusal(source, ref, fetched.stderr)
  yield* git(["-C", target, "checkout", "--quiet", "--detach", "FETCH_HEAD"], source, context)
})

/** The commit that the source has now under this name; `undefined` when it has none. */
export const remoteCommit = Effect.fn("Extensions.remoteCommit")(function* (
  source: string,
  ref: string | undefined,
  context: GitContext
) {
  const wanted = ref ?? "HEAD"
  yield* checkRef(wanted)
  const listed = yield* run(["ls-remote", "--", cloneUrl(source), wanted, `${wanted}^{}`], ASK_WITHIN, context)
  if (listed.exitCode !== 0) return yield* refusal(source, ref, listed.stderr)
  const rows = new Map(listed.stdout.split("\n").map((line) => [line.split("\t")[1], line.split("\t")[0]] as const))
  // A tag with a message of its own is an object too; the commit behind it is listed with `^{}`.
  const names = [wanted, `refs/tags/${wanted}^{}`, `refs/tags/${wanted}`, `refs/heads/${wanted}`]
  return names.map((name) => rows.get(name)).find((commit) => commit !== undefined)
})

/** The commit that a clone stands at, read without running git in a folder that others have written. */
export const localCommit = (folder: string): string | undefined => {
  try {
    const head = readFileSync(join(folder, ".git", "HEAD"), "utf8").trim()
    const [, branch] = /^ref: (refs\/[\w./-]+)$/.exec(head) ?? []
    if (branch === undefined) return /^[0-9a-f]{40,64}$/.test(head) ? head : undefined
    return readFileSync(join(folder, ".git", branch), "utf8").trim()
  } catch {
    return undefined
  }
}

const git = Effect.fnUntraced(function* (args: ReadonlyArray<string>, source: string, context: GitContext) {
  const end = yield* run(args, FETCH_WITHIN, context)
  if (end.exitCode !== 0) return yield* refusal(source, undefined, end.stderr)
})

/** What it has to say is short; a server that sends more is not listened to. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

/** Asked to end, it ends its helpers too; one that keeps a login for a while is meant to stay. */
const run = (args: ReadonlyArray<string>, limit: Duration.Duration, { variables }: GitContext) =>
  runProgram({
    argv: ["git", ...args],
    notIn: "/",
    cwd: "/",
    env: environmentOf(variables),
    timeout: limit,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    reach: "group",
    leftovers: "keep",
    grace: "2 seconds"
  }).pipe(Effect.interruptible, Effect.mapError(notRun))

const notRun = ({ code, detail, kind }: ProgramError): ExtensionError => {
  if (kind !== "start") return new ExtensionError({ kind: "source", detail: `git ${detail}.`, advice: OFFLINE })
  return code === "ENOENT"
    ? new ExtensionError({
        kind: "source",
        detail: "git is not installed, and this source can only be fetched with it.",
        advice: "Install git, or download the extension and install it from its folder."
      })
    : new ExtensionError({ kind: "source", detail: `git could not be started (${code ?? "unknown"}).` })
}

const OFFLINE = "Check the address and the connection, and try again."

/** A name that git would read as an option is not a name. */
const checkRef = (ref: string) =>
  ref.startsWith("-") || /[\s\p{Cc}]/u.test(ref)
    ? new ExtensionError({ kind: "source", detail: `"${ref}" is not the name of a branch, tag or commit.` })
    : Effect.void

const refusal = (source: string, ref: string | undefined, stderr: string): ExtensionError => {
  const lines = stderr.split("\n").filter((line) => /^(?:fatal|error|remote):/.test(line))
  const reason = (lines.at(-1) ?? stderr.trim().split("\n").at(-1) ?? "").replace(/^(?:fatal|error|remote): /, "")
  const place = shownSource(source)
  const isNoRef = /couldn't find remote ref|not our ref|unadvertised object/i.test(stderr)
  return new ExtensionError({
    kind: "source",
    detail:
      isNoRef && ref !== undefined
        ? `${place} has no branch, tag or commit "${ref}".`
        : `${place} cannot be fetched: ${reason.replaceAll(source, place)}.`,
    advice: isNoRef && ref !== undefined ? "Name another with --ref." : OFFLINE
  })
}

/** Where git works when it is started from one of its own hooks is not meant for us. */
const PLACES =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|TEMPLATE_DIR)$/

const environmentOf = (variables: Variables): ChildVariables =>
  childVariables({
    inherits: Object.fromEntries(Object.entries(variables).filter(([name]) => !PLACES.test(name))),
    given: {
      LC_ALL: "C",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "",
      SSH_ASKPASS: "",
      GIT_SSH_COMMAND: variables.GIT_SSH_COMMAND ?? "ssh -oBatchMode=yes",
      ...githubLogin(variables)
    }
  })

/** The token goes along as user name, but in neither a command line nor a file that others could read. */
const githubLogin = (variables: Variables): Variables => {
  const token = variables.GITHUB_TOKEN ?? ""
  if (token === "") return {}
  const given = Number.parseInt(variables.GIT_CONFIG_COUNT ?? "0", 10)
  const index = Number.isInteger(given) && given > 0 ? given : 0
  return {
    GIT_CONFIG_COUNT: String(index + 1),
    [`GIT_CONFIG_KEY_${index}`]: "http.https://github.com/.extraHeader",
    [`GIT_CONFIG_VALUE_${index}`]: `Authorization: Basic ${Buffer.from(`${token}:`).toString("base64")}`
  }
}
