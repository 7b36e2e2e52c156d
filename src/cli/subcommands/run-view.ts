/**
 * The run that `gemini policy` and `gemini tools` speak about: the flags that change what it may do, its configuration
 * and its approval mode. Everything comes from where a run takes it, so that these commands cannot say something else
 * than what would happen; nothing is written, and neither key nor network is needed.
 */
import { statSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Options from "@effect/cli/Options"
import { Effect, Either, Layer, Option } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { plansFolder } from "../../config/run-folders.ts"
import { includeDirectories } from "../../config/workspace-roots.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import { effectiveMode } from "../../policy/approval-mode.ts"
import * as PolicyFromConfig from "../../policy/from-config.ts"
import { Policy } from "../../policy/policy.ts"
import { problemText } from "../../policy/policy-problem.ts"
import { ApprovalMode } from "../../protocol/modes.ts"
import type { ExtensionParts } from "../../protocol/run-facts.ts"
import { CliContext } from "../cli-context.ts"
import { splitList } from "../parse-argv.ts"
import { usageError } from "../usage-error.ts"
import { skipTrust, text, texts } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

/** Flags of a run, spelled as there. */
export const runFlags = {
  mode: Options.choice("mode", ApprovalMode.literals).pipe(
    Options.withAlias("approval-mode"),
    Options.withPseudoName("MODE"),
    Options.withDescription("The approval mode of the run."),
    Options.optional
  ),
  cwd: text("cwd", "FOLDER", "As if started in this folder."),
  skipTrust,
  policy: texts("policy", "PATHS", "Policy files or folders, in place of policyPaths."),
  adminPolicy: texts("admin-policy", "PATHS", "The same for the admin tier."),
  allowedTools: texts("allowed-tools", "NAMES", "Tools that run without a question.")
}

export interface RunFlags {
  readonly mode: Option.Option<ApprovalMode>
  readonly cwd: Option.Option<string>
  readonly skipTrust: boolean
  readonly policy: ReadonlyArray<string>
  readonly adminPolicy: ReadonlyArray<string>
  readonly allowedTools: ReadonlyArray<string>
}

export interface RunView {
  readonly config: LoadedConfig
  readonly mode: ApprovalMode
  readonly plansDir: string
  readonly extensions: ReadonlyArray<ExtensionParts>
  /** The policy as it is where a person can be asked, or in a headless run. */
  readonly policy: (who: { readonly isInteractive: boolean }) => ReturnType<typeof policyLayer>
}

export const viewRun = Effect.fnUntraced(function* (flags: RunFlags) {
  const context = yield* CliContext
  const asked = Option.getOrUndefined(flags.mode)
  const cwd = yield* folderOf(flags.cwd, context.cwd)
  yield* Effect.forEach([...splitList(flags.policy), ...splitList(flags.adminPolicy)], mustExist(cwd), {
    discard: true
  })
  const config = yield* loadSettings({ cwd, skipTrust: flags.skipTrust })
  const { trust } = config.trust
  const settled = effectiveMode({ asked, settings: config.settings, trust })
  if (Either.isLeft(settled)) return yield* usageError(`approval mode yolo is forbidden by ${settled.left}`)
  const { mode, notice } = settled.right
  if (trust === "untrusted") {
    yield* context.writeError(
      `[INFO] ${config.environment.cwd} is not trusted: its settings and policies are ignored (--skip-trust shows them in force)\n`
    )
    if (mode === "yolo" || mode === "auto_edit")
      return yield* usageError(`approval mode ${mode} needs a trusted folder`, "Add --skip-trust, or trust the folder.")
  }
  if (notice !== undefined) yield* context.writeError(`[WARNING] ${notice}\n`)
  const { extensions, notices } = yield* loadExtensions({ config })
  yield* Effect.forEach(notices, (text) => context.writeError(`${text}\n`), { discard: true })
  const plansDir = plansOf(config, extensions)
  const view: RunView = {
    config,
    mode,
    plansDir,
    extensions,
    policy: ({ isInteractive }) => policyLayer({ config, extensions, flags, isInteractive, mode, plansDir })
  }
  return view
})

/** Says what is wrong with the rule files, and which rules wait for the user. `true` when something was left out. */
export const reportProblems = Effect.fnUntraced(function* () {
  const context = yield* CliContext
  const policy = yield* Policy
  for (const problem of policy.problems) {
    yield* context.writeError(`[${problem.severity.toUpperCase()}] ${problemText(problem)}\n`)
  }
  const pending = yield* policy.pendingWorkspace
  if (pending !== undefined) {
    yield* context.writeError(
      `[INFO] ${pending.rules.length} allowing rule(s) of this project do not count until you confirm them: ${[...new Set(pending.rules.map(({ source }) => source))].join(", ")}\n`
    )
  }
  return policy.problems.some(({ severity }) => severity === "error")
})

interface LayerInput extends Pick<RunView, "config" | "extensions" | "mode" | "plansDir"> {
  readonly flags: RunFlags
  readonly isInteractive: boolean
}

const policyLayer = ({ config, extensions, flags, isInteractive, mode, plansDir }: LayerInput) =>
  PolicyFromConfig.layerOf({
    config,
    extensions,
    mode,
    isInteractive,
    plansDir,
    tempDir: config.storage.plannedProjectTempDir(),
    includeDirectories: includeDirectories(config, []),
    flags: {
      ...(flags.policy.length === 0 ? {} : { policy: splitList(flags.policy) }),
      ...(flags.adminPolicy.length === 0 ? {} : { adminPolicy: splitList(flags.adminPolicy) }),
      ...(flags.allowedTools.length === 0 ? {} : { allowedTools: splitList(flags.allowedTools) })
    }
  }).pipe(Layer.mapError((error) => usageError(error.message, "A run would not start either; ask who wrote the file.")))

const folderOf = (typed: Option.Option<string>, cwd: string) => {
  const folder = resolve(
    cwd,
    Option.getOrElse(typed, () => ".")
  )
  return Option.isNone(typed) || kindOf(folder) === "folder"
    ? Effect.succeed(folder)
    : usageError(`--cwd cannot be "${folder}": there is no such folder`, "Name a folder that exists.")
}

/** A run only warns of a missing file; here it is the very thing that is asked about. */
const mustExist = (cwd: string) => (path: string) =>
  kindOf(resolve(cwd, path)) === "missing"
    ? usageError(`The policy file ${resolve(cwd, path)} does not exist`, "Name a file or a folder.")
    : Effect.void

const kindOf = (path: string): "folder" | "file" | "missing" => {
  try {
    return statSync(path).isDirectory() ? "folder" : "file"
  } catch {
    return "missing"
  }
}

/** Each session has its own folder of plans unless one is configured; which it would be is not known here. */
const plansOf = (config: LoadedConfig, extensions: ReadonlyArray<Pick<ExtensionParts, "planDirectory">>): string => {
  const fallback = extensions.find(({ planDirectory }) => planDirectory !== undefined)?.planDirectory
  return plansFolder(config, fallback).folder ?? join(config.storage.tempDir, "<project>", "<session>", "plans")
}
