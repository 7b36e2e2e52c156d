/**
 * Everything that some built-in tool needs. Loaded and built when the first tool is called: a run that only answers
 * pays for none of it.
 */
import { join } from "node:path"
import { Context, Effect, Layer, Option } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { programTrust } from "../config/programs/program-trust.ts"
import { projectCommands } from "../config/programs/project-program.ts"
import { RunFolders } from "../config/run-folders.ts"
import { Secrets } from "../config/secrets.ts"
import { variableRedaction } from "../config/variable-redaction.ts"
import { WorkspaceRoots } from "../config/workspace-roots.ts"
import * as FileFilter from "../files/file-filter.ts"
import { type OpenDocuments, withDocuments } from "../files/open-documents.ts"
import * as ReadLedger from "../files/read-ledger.ts"
import * as Ripgrep from "../files/ripgrep.ts"
import * as Workspace from "../files/workspace.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazyLayer } from "../kernel/lazy.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { ContextFiles } from "../prompt/context-files.ts"
import { Notices } from "../protocol/notices.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import * as Background from "../shell/background.ts"
import * as PersonTerminal from "../shell/person-terminal.ts"
import * as Shell from "../shell/shell.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import * as EditCorrector from "./edit/edit-corrector.ts"
import * as OutputSummarizer from "./output-summarizer.ts"
import * as MemoryFile from "./save-memory.tool.ts"
import { TurnNews } from "./scheduling/turn-news.ts"
import * as TaskTracker from "./tracker/task-tracker.ts"
import * as HostResolver from "./web/host-resolver.ts"
import * as WebClient from "./web/web-client.ts"

interface ServiceFacts extends Pick<RunFacts, "acceptedPrograms"> {
  /** Files as the person has them in an editor. */
  readonly documents?: OpenDocuments | undefined
  /** Where the person sits, in a conversation at a terminal. */
  readonly terminal?: Layer.Layer<PersonTerminal.PersonTerminal> | undefined
}

export const toolServices = (config: LoadedConfig, { acceptedPrograms, documents, terminal }: ServiceFacts) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const folders = yield* RunFolders
      const secrets = yield* (yield* Secrets).all
      const files = Layer.mergeAll(fileFilter(config), ripgrep(config), ReadLedger.layer).pipe(
        Layer.provideMerge(
          documents === undefined ? workspace(config, folders) : shared(workspace(config, folders), documents)
        )
      )
      const processes = Layer.provideMerge(
        Layer.merge(endWithWord, reportToModel),
        Layer.provideMerge(
          background(config, secrets),
          shell(config, folders, { secrets, pager: pagerOf(config, acceptedPrograms) })
        )
      )
      const web = Layer.provide(WebClient.layer, HostResolver.layer)
      return Layer.mergeAll(
        files,
        processes,
        web,
        editCorrector(config),
        summarizer(config),
        memoryFile(folders),
        TaskTracker.layer(folders.trackerDir),
        terminal ?? PersonTerminal.layerNone
      )
    })
  )

/** The model hears of background commands that ended, between its turns. */
const reportToModel = Layer.effectDiscard(
  Effect.gen(function* () {
    const news = yield* TurnNews
    const processes = yield* Background.BackgroundProcesses
    yield* news.connect(processes.drainNotices)
  })
)

const workspace = ({ environment }: LoadedConfig, { memoryFile, tempDir }: RunFolders["Type"]) =>
  Layer.unwrapEffect(
    Effect.map(WorkspaceRoots, ({ add, included }) =>
      // The working folder was there when the run began; losing it meanwhile leaves nothing to work on.
      Layer.orDie(
        Workspace.layer({
          targetDir: environment.cwd,
          includeDirectories: included,
          tempDir,
          memoryFile,
          onAdded: add
        })
      )
    )
  )

const shared = <E, R>(own: Layer.Layer<Workspace.Workspace, E, R>, documents: OpenDocuments) =>
  Layer.map(own, (context) =>
    Context.make(Workspace.Workspace, withDocuments(Context.get(context, Workspace.Workspace), documents))
  )

const fileFilter = ({ settings }: LoadedConfig) =>
  FileFilter.layer({
    respectGitIgnore: settings.get("context.fileFiltering.respectGitIgnore"),
    respectGeminiIgnore: settings.get("context.fileFiltering.respectGeminiIgnore"),
    customIgnoreFilePaths: settings.get("context.fileFiltering.customIgnoreFilePaths"),
    contextFileNames: settings.get("context.fileName") ?? ["GEMINI.md"]
  })

const ripgrep = ({ settings }: LoadedConfig) =>
  settings.get("tools.useRipgrep") ? Layer.provide(observedRipgrep, Ripgrep.layer) : Ripgrep.layerNone

/** That searches have to do without it is recorded when the first one finds out. */
const observedRipgrep = Layer.effect(
  Ripgrep.Ripgrep,
  Effect.gen(function* () {
    const found = yield* Ripgrep.Ripgrep
    const { log } = yield* Telemetry
    const report = log({
      name: "gemini_cli.ripgrep_fallback",
      body: "Searches run without ripgrep.",
      attributes: { error: "ripgrep is neither embedded nor installed" }
    })
    const program = yield* cachedOnce(Effect.tap(found.program, (path) => (Option.isNone(path) ? report : Effect.void)))
    return { ...found, program }
  })
)

/** One that the project names and nobody confirmed is not used. */
const pagerOf = (config: LoadedConfig, accepted: ReadonlySet<string> | undefined): string => {
  const { environment, settings } = config
  const own = projectCommands(settings, environment.cwd).find(({ key }) => key === "tools.shell.pager")
  return own === undefined || programTrust(config, accepted).mayRun(own.fingerprint)
    ? settings.get("tools.shell.pager")
    : "cat"
}

interface ShellParts {
  readonly secrets: ReadonlyArray<Secret>
  readonly pager: string
}

const shell = ({ settings, trust }: LoadedConfig, { tempDir }: RunFolders["Type"], { pager, secrets }: ShellParts) =>
  Shell.layer({
    secrets,
    spillFolder: join(tempDir, "tool-outputs"),
    inactivityTimeout: `${Math.max(0, settings.get("tools.shell.inactivityTimeout"))} seconds`,
    redaction: variableRedaction(settings),
    pager,
    isTrusted: trust.trust === "trusted"
  })

const background = ({ settings, storage }: LoadedConfig, secrets: ReadonlyArray<Secret>) =>
  Background.layer({
    secrets,
    logFolder: join(storage.tempDir, "background-processes"),
    keep: settings.get("tools.shell.keepBackgroundProcesses"),
    completion: settings.get("tools.shell.backgroundCompletionBehavior")
  })

/** What was remembered is in the next request. */
const memoryFile = ({ memoryFile: file }: RunFolders["Type"]) =>
  Layer.unwrapEffect(Effect.map(ContextFiles, ({ reload }) => MemoryFile.layer(file ?? null, reload)))

/** What goes on in the background ends with the run, and the user is told what that was. */
const endWithWord = Layer.scopedDiscard(
  Effect.gen(function* () {
    const processes = yield* Background.BackgroundProcesses
    const { info } = yield* Notices
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(processes.endAll, (ended) =>
        ended.length === 0
          ? Effect.void
          : info(
              `background processes ended with the run: ${ended.map(({ command, pid }) => `${pid} (${command.replace(/\s+/g, " ")})`).join(", ")}`
            )
      )
    )
  })
)

const editCorrector = ({ settings }: LoadedConfig) =>
  settings.get("tools.disableLLMCorrection")
    ? EditCorrector.layerNone
    : lazyLayer(() => import("./edit/edit-corrector.live.ts").then((module) => module.layer))

/** Only the shell's output is ever summarised. */
const summarizer = ({ settings }: LoadedConfig) => {
  const budget = settings.get("model.summarizeToolOutput")?.run_shell_command?.tokenBudget
  return budget === undefined ? OutputSummarizer.layerNone : OutputSummarizer.layer({ tokenBudget: budget })
}
