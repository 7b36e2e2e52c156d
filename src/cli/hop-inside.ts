/**
 * The way into a sandbox that takes the whole run: what it needs is settled out here (settings, credentials, standard
 * input), and it is started anew inside. Whoever asked for one gets the answer of inside, or none.
 */
import { existsSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect, Redacted } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { plannedAuth } from "../auth/from-config.ts"
import type { LoadedConfig } from "../config/load.ts"
import { includeDirectories, locateFolder } from "../config/workspace-roots.ts"
import { lazy } from "../kernel/lazy.ts"
import { Stderr } from "../output/stderr.ts"
import { probeOptions } from "../sandbox/build-sandbox.ts"
import type { SandboxWish } from "../sandbox/choose-sandbox.ts"
import { type DomainRule, parseDomainRule } from "../sandbox/domain-rules.ts"
import { gitFoldersOf } from "../sandbox/git-folders.ts"
import { engineVariables, findProcessBackend, isProcessName } from "../sandbox/process/find-process-backend.ts"
import type { Hop } from "../sandbox/process/process-backend.ts"
import { REPORT_VARIABLE, reportText } from "../sandbox/process/process-report.ts"
import { insideVariables, runInside } from "../sandbox/process/run-inside.ts"
import { hopFolder, userFolderMounts } from "../sandbox/process/user-folder.ts"
import { isWithin } from "../sandbox/profile.ts"
import { hopFailed, SandboxUnavailable } from "../sandbox/sandbox-unavailable.ts"
import type { RunMode } from "./run-mode.ts"
import { type RunOptions, stdinTimeoutOf } from "./run-options.ts"
import { readStdinBytes } from "./stdin.ts"

export interface HopInput {
  readonly facts: {
    readonly argv: ReadonlyArray<string>
    /** As this program was started with, without what a `.env` file adds: which engine is asked is nobody else's to say. */
    readonly env: Readonly<Record<string, string | undefined>>
    /** What to do about an interrupt from now on, instead of ending. */
    readonly onInterrupt: (heed: () => void) => void
    readonly stoppedBy: () => NodeJS.Signals | undefined
  }
  readonly options: RunOptions
  readonly config: LoadedConfig
  readonly mode: RunMode
  readonly wish: SandboxWish
}

/** The exit code of what ran inside; `undefined`: only commands are confined, and the run goes on here. */
export const hopInside = Effect.fn("Cli.hopInside")(
  function* (input: HopInput) {
    const { config, facts, mode, wish } = input
    if (!wish.candidates.some(isProcessName)) return undefined
    const probe = probeOptions(config)
    const variables = engineVariables(facts.env)
    const backend = yield* findProcessBackend(wish, {
      ...probe,
      engineVariables: variables,
      platform: config.environment.platform
    })
    if (backend === undefined) return undefined
    const { notice } = yield* Stderr
    const credentials = yield* credentialsInside(config, input.options, { tell: notice })
    const { folder, temp } = yield* hopFolder
    const userFolder = yield* Effect.mapError(userFolderMounts(config.storage, folder), ({ message }) =>
      hopFailed(backend.name, message)
    )
    const places = placesOf(input)
    const lost = unreachable(input, [config.environment.cwd, ...places.roots])
    if (lost !== undefined) return yield* hopFailed(backend.name, lost)
    const hop: Hop = {
      ...places,
      self: probe.self,
      args: facts.argv,
      cwd: config.environment.cwd,
      home: probe.home,
      userFolder,
      userDir: config.storage.userDir,
      files: [...places.files, ...credentials.files].filter((path) => existsSync(path)),
      variables: {},
      engineVariables: variables,
      get: config.environment.get,
      path: probe.path,
      network: networkOf(wish, credentials.hosts),
      image: wish.image,
      takesTerminal: mode._tag === "Interactive",
      isTrusted: config.trust.trust === "trusted",
      folder,
      temp,
      warn: (text) => notice(`[WARNING] ${text}`)
    }
    const given = { ...credentials.variables, [REPORT_VARIABLE]: reportText(backend, hop) }
    const whole = { ...hop, variables: insideVariables({ environment: config.environment, given }) }
    const stdin = yield* inputOf(input, folder)
    // What a terminal interrupts is the program inside, which has the terminal too.
    if (hop.takesTerminal) facts.onInterrupt(() => {})
    return yield* runInside({ backend, hop: whole, input: stdin, stoppedBy: facts.stoppedBy })
  },
  (effect, { wish: { requestedBy } }) =>
    Effect.catchTag(Effect.scoped(effect), "SandboxUnavailable", ({ advice, reasons }) =>
      Effect.fail(new SandboxUnavailable({ requestedBy, reasons, advice }))
    )
)

const networkOf = (wish: SandboxWish, hosts: Exclude<Hop["network"], "on">): Hop["network"] => {
  if (typeof wish.network !== "string") return [...hosts, ...wish.network]
  return wish.isNetworkForbidden ? hosts : "on"
}

/** Who writes to a pipe can be found out here only. */
const inputOf = Effect.fnUntraced(function* ({ config, mode, options }: HopInput, folder: string) {
  if (mode._tag !== "Headless") return "inherit" as const
  if (options.demo) return "none" as const
  const { notice } = yield* Stderr
  const bytes = yield* readStdinBytes({
    promptGiven: mode.prompt !== undefined,
    timeout: yield* stdinTimeoutOf(
      options,
      config.environment.get("GEMINI_STDIN_TIMEOUT"),
      config.settings.get("run.stdinTimeout")
    ),
    notify: notice
  })
  if (bytes.length === 0) return "none" as const
  const file = join(folder, "stdin")
  yield* Effect.sync(() => writeFileSync(file, bytes, { mode: 0o600 }))
  return { file }
})

const placesOf = ({ config, options, wish }: HopInput) => {
  const { environment, files, storage } = config
  const roots = includeDirectories(config, options.includeDirectories ?? []).flatMap(realOf)
  const git = [environment.cwd, ...roots]
    .map((root) => join(root, ".git"))
    .flatMap(realOf)
    .map(gitFoldersOf)
  const own = [environment.cwd, ...roots].map((root) => join(root, ".gemini"))
  // What an administrator says holds inside too.
  const settings = files.filter(({ scope }) => scope !== "workspace").map(({ file }) => file)
  return {
    roots,
    repositories: git.flatMap(({ data }) => data).filter((path) => !isWithin([environment.cwd, ...roots], path)),
    guarded: [...git.flatMap(({ guarded }) => guarded), ...own.filter((path) => existsSync(path))],
    allowedPaths: wish.allowedPaths.flatMap((path) => realOf(locateFolder(path, environment))),
    files: [...settings, ...namedFiles(options, environment.cwd)].filter(
      (path) => existsSync(path) && !isWithin([environment.cwd, ...roots, storage.userDir], path)
    )
  }
}

/** Files that the command line names, to be read. */
const namedFiles = (options: RunOptions, cwd: string): ReadonlyArray<string> =>
  [
    ...(options.policy ?? []),
    ...(options.adminPolicy ?? []),
    options.sessionFile,
    options.fakeResponses,
    options.fakeResponsesNonStrict,
    options.outputSchema
  ]
    .filter((path) => path !== undefined && path !== "" && !path.includes("\n"))
    .map((path) => resolve(cwd, path ?? ""))

/** A file that would be written inside, and be gone with the sandbox. */
const unreachable = (
  { config: { environment }, options }: HopInput,
  writable: ReadonlyArray<string>
): string | undefined => {
  const named = { "--last-message-file": options.lastMessageFile, "--record-responses": options.recordResponses }
  for (const [flag, path] of Object.entries(named)) {
    if (path === undefined) continue
    const file = resolve(environment.cwd, path)
    const [folder = dirname(file)] = realOf(dirname(file))
    if (!isWithin(writable, folder))
      return `${flag} ${path} lies outside of what can be written inside: ${writable.join(", ")}`
  }
  return undefined
}

const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

interface InsideCredentials {
  readonly variables: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<string>
  readonly hosts: ReadonlyArray<DomainRule>
}

const NONE: InsideCredentials = { variables: {}, files: [], hosts: [] }

/**
 * What the model's requests need inside: keys and tokens that were found out here, for a token of an account one that ends
 * soon instead of the sign-in, and the hosts that requests go to.
 */
const credentialsInside = Effect.fn("Cli.credentialsInside")(function* (
  config: LoadedConfig,
  options: RunOptions,
  { tell }: { readonly tell: (text: string) => Effect.Effect<void> }
) {
  if (options.demo || options.estimate || options.fakeResponses !== undefined) return NONE
  if (options.fakeResponsesNonStrict !== undefined) return NONE
  const plan = yield* plannedAuth(config)
  return { ...NONE, ...(yield* carried(plan, config, tell)), hosts: hostsOf(plan) }
})

const carried = Effect.fnUntraced(function* (
  plan: AuthPlan,
  config: LoadedConfig,
  tell: (text: string) => Effect.Effect<void>
) {
  switch (plan._tag) {
    case "ApiKey":
    case "Gateway":
      return keyAs("GEMINI_API_KEY", plan.key)
    case "VertexExpress":
      return keyAs("GOOGLE_API_KEY", plan.key)
    case "Vertex":
      return { files: [plan.credentialsFile ?? defaultCredentials(config)] }
    case "CodeAssist": {
      const { openAccount } = yield* lazy(() => import("../auth/google/account.ts"))
      const account = yield* openAccount(plan, config, { tell })
      return {
        variables: {
          GOOGLE_CLOUD_ACCESS_TOKEN: yield* account.tokens.current,
          ...(plan.authType === "oauth-personal" ? { GOOGLE_GENAI_USE_GCA: "true" } : {})
        }
      }
    }
  }
})

const keyAs = (name: string, key: Redacted.Redacted) => {
  const value = Redacted.value(key)
  return value === "" ? {} : { variables: { [name]: value } }
}

const defaultCredentials = ({ environment }: LoadedConfig): string =>
  join(environment.get("HOME") ?? environment.home ?? "/", ".config/gcloud/application_default_credentials.json")

const GOOGLE = ["*.googleapis.com", "googleapis.com"]

/** At an address that is no name, requests are refused inside, and say so. */
const hostsOf = (plan: AuthPlan): ReadonlyArray<DomainRule> => {
  const base = plan._tag === "CodeAssist" ? URL.parse(plan.server) : (plan.baseUrl ?? null)
  const own = base === null ? [] : [`${base.hostname}${base.port === "" ? "" : `:${base.port}`}`]
  return [...own, ...(base === null || plan._tag === "CodeAssist" ? GOOGLE : [])].flatMap(
    (text) => parseDomainRule(text) ?? []
  )
}
