/**
 * The hooks of a run, from settings, `hooks.toml` and extensions, under the trust of the folder. The user's and the
 * system's always count; the project's only in the form that the person confirmed, or where a flag or variable accepts
 * the folder as it is now.
 */
import { join } from "node:path"
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { programTrust } from "../config/programs/program-trust.ts"
import { fingerprintOf } from "../config/programs/project-program.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ExtensionParts } from "../protocol/run-facts.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { type Definitions, fromExtensions, fromSettings, joined, NO_DEFINITIONS } from "./definitions.ts"
import { type Hook, identityOf } from "./hook.ts"
import { matcherFault } from "./matching.ts"

export interface FoundHooks {
  /** May run. */
  readonly hooks: ReadonlyArray<Hook>
  /** Of the project, new or changed since they were confirmed. */
  readonly pending: ReadonlyArray<Hook>
  /** One line each. */
  readonly problems: ReadonlyArray<string>
}

export const findHooks = Effect.fn("Hooks.find")(function* (
  config: LoadedConfig,
  extensions: ReadonlyArray<ExtensionParts>,
  /** Fingerprints that were accepted in this session. */
  accepted: ReadonlySet<string> = new Set()
) {
  const found = joined([
    { hooks: fromSettings(config.settings), problems: [] },
    ...(yield* Effect.forEach(tomlFiles(config), readToml)),
    fromExtensions(extensions)
  ])
  return {
    ...divided(found.hooks, config, accepted),
    problems: [...found.problems, ...found.hooks.flatMap(matcherFault)]
  } satisfies FoundHooks
})

interface TomlFile {
  readonly scope: "user" | "project"
  readonly file: string
}

export const tomlFiles = ({ environment, storage, trust }: LoadedConfig): ReadonlyArray<TomlFile> => [
  ...(environment.home === undefined ? [] : [{ scope: "user" as const, file: join(storage.userDir, "hooks.toml") }]),
  // In the home folder both are the same file.
  ...(trust.trust === "trusted" && environment.cwd !== environment.home
    ? [{ scope: "project" as const, file: join(storage.projectDir, "hooks.toml") }]
    : [])
]

const MAX_BYTES = 1024 * 1024

const readToml = Effect.fnUntraced(function* ({ file, scope }: TomlFile) {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return NO_DEFINITIONS
  if (content.kind === "refused") {
    return { hooks: [], problems: [`${file}: ${content.reason}`] } satisfies Definitions
  }
  const { readHooksToml } = yield* lazy(() => import("./hooks-toml.live.ts"))
  return readHooksToml(content.text, { scope, file })
})

const divided = (
  all: ReadonlyArray<Hook>,
  { environment, storage, trust }: LoadedConfig,
  accepted: ReadonlySet<string>
): Omit<FoundHooks, "problems"> => {
  const project = environment.cwd
  // The user has the very same hook in their own settings: there is nothing new about it.
  const own = new Set(all.filter(({ source }) => source.scope !== "project").map(behaviourOf))
  const others = all.filter((hook) => hook.source.scope !== "project" || own.has(behaviourOf(hook)))
  const asNow = (hook: Hook): Hook =>
    others.includes(hook) ? hook : { ...hook, accepted: hookFingerprint(hook, project) }
  const hooks = all.map(asNow)
  const trusted = programTrust({ environment, storage, trust }, accepted)
  const mayRun = ({ accepted: print }: Hook) => print === undefined || trusted.mayRun(print)
  return { hooks: hooks.filter(mayRun), pending: hooks.filter((hook) => !mayRun(hook)) }
}

/** Everything that it does. The same command with other variables, or with no time to answer, is another hook. */
const behaviourOf = (hook: Hook): string => {
  const { env, event, failsClosed, isSequential, matcher = "", streams, timeoutMs } = hook
  const variables = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([identityOf(hook), event, matcher, variables, timeoutMs, failsClosed, isSequential, streams])
}

/**
 * What a person agrees to when they confirm a hook of a project: when it runs, the command, its variables and time,
 * whether it may fail, and the content of the project's files that it runs.
 */
export const hookFingerprint = (hook: Hook, project: string): string => {
  const env = Object.entries(hook.env).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const says = [hook.event, hook.matcher ?? "", hook.command, env, hook.timeoutMs, hook.failsClosed]
  return fingerprintOf({ kind: "hook", says, commands: [hook.command] }, project)
}
