/**
 * What the model is told before the conversation: its instruction, and the surroundings of the session.
 *
 * The instruction is composed for each request from the facts of that moment (model, tools, approval mode, context
 * files); composing is cheap, and what it reads from disk is read once.
 */

import { Context, DateTime, Duration, Effect, Ref } from "effect"
import { Environment, type EnvironmentView } from "../config/environment.ts"
import { isInside } from "../files/containment.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazy } from "../kernel/lazy.ts"
import type { AllFilesOptions } from "./all-files.ts"
import { privateMemoryFile } from "./context-file.ts"
import { ContextFiles, instructionMemory, sessionMemory } from "./context-files.ts"
import { type GitPlace, gitPlace } from "./git-place.ts"
import { type IgnoreSettings, ignoreFault } from "./ignore-check.ts"
import type { ProjectFactsOptions } from "./project-facts.ts"
import type { PromptError } from "./prompt-error.ts"
import type { PromptSession, PromptState, RequestFacts, SectionFacts } from "./section-facts.ts"
import { bareInstruction, builtinInstruction } from "./sections/sections.ts"
import { bareContext, folderTrees, sessionContext } from "./session-context.ts"
import { fillIn, readSystemFile, systemFileOf, writeSystemFile } from "./system-file.ts"

export class SystemPrompt extends Context.Tag("agent/prompt/SystemPrompt")<
  SystemPrompt,
  {
    readonly instruction: (facts: RequestFacts) => Effect.Effect<string, PromptError>
    /** Stands before the first message of a conversation. */
    readonly sessionContext: Effect.Effect<string>
    /** What the person should know about the files above; each warning is given once. */
    readonly takeWarnings: Effect.Effect<ReadonlyArray<string>>
  }
>() {}

export interface SystemPromptOptions {
  readonly isInteractive: boolean
  /** `--bare`: the smallest instruction, no tree. */
  readonly isBare: boolean
  readonly isTrusted: boolean
  /** Commands run in a sandbox of their own, this program does not. */
  readonly confinesCommands?: boolean
  /** Real paths of all workspace folders, the working folder first. */
  readonly roots: ReadonlyArray<string>
  /** Those that joined since. */
  readonly addedRoots?: Effect.Effect<ReadonlyArray<string>>
  readonly tempDir: string
  readonly plansDir: string
  readonly trackerDir: string
  /** First of the names of context files. */
  readonly contextFileName: string
  readonly globalMemoryFile: string | undefined
  readonly showsTree: boolean
  readonly prefersQuietCommands?: boolean
  readonly ignore: IgnoreSettings
  /** `context.projectFacts`; absent where they are not wanted. */
  readonly facts?: Omit<ProjectFactsOptions, "cwd" | "git"> | undefined
  /** In place of the built-in instruction, and of a file of the user's own. */
  readonly replacement?: string | undefined
  /** Behind everything else. */
  readonly appended?: ReadonlyArray<string>
  readonly state: Effect.Effect<PromptState>
  /** `--all-files`: every file of the workspace stands before the first message. */
  readonly allFiles?: Pick<AllFilesOptions, "contextFileNames" | "clean"> | undefined
}

export const make = (options: SystemPromptOptions) =>
  Effect.gen(function* () {
    const environment = yield* Environment
    const contextFiles = yield* ContextFiles
    const warnings = yield* Ref.make<ReadonlyArray<string>>([])
    const written = yield* Ref.make("")
    const git = yield* Effect.cached(Effect.sync(() => gitPlace(environment.cwd)))
    const facts = options.facts === undefined ? undefined : yield* begunFacts(options.facts, environment, git)

    const warn = (warning: string) => Ref.update(warnings, (now) => [...now, warning])
    const fault = options.isTrusted ? yield* ignoreFault(environment.cwd, options.ignore) : undefined
    if (fault !== undefined) yield* warn(fault)
    const source = systemFileOf(environment.get("GEMINI_SYSTEM_MD"), environment)
    const target = systemFileOf(environment.get("GEMINI_WRITE_SYSTEM_MD"), environment)

    const customPrompt = yield* cachedOnce(
      Effect.suspend(() => {
        if (options.replacement !== undefined) return Effect.succeed(options.replacement)
        if (source === undefined) return Effect.succeed(null)
        if (options.isTrusted || !isInside(environment.cwd, source)) return readSystemFile(source, environment)
        return Effect.as(warn(`${source} is not used (GEMINI_SYSTEM_MD): the folder is not trusted`), null)
      })
    )

    const writeDown = Effect.fnUntraced(function* (text: string) {
      if (target === undefined || (yield* Ref.getAndSet(written, text)) === text) return
      if (target !== source) return yield* writeSystemFile(target, text, environment)
      yield* warn(`${target} is not written (GEMINI_WRITE_SYSTEM_MD): it is the prompt in use (GEMINI_SYSTEM_MD)`)
    })

    const sessionFacts: Effect.Effect<PromptSession> = Effect.map(git, (place) => ({
      isInteractive: options.isInteractive,
      sandbox: options.confinesCommands === true ? "commands" : sandboxOf(environment.get("SANDBOX")),
      isGitRepository: place !== undefined,
      prefersQuietCommands: options.prefersQuietCommands === true,
      plansDir: options.plansDir,
      trackerDir: options.trackerDir,
      contextFileName: options.contextFileName,
      globalMemoryFile: options.globalMemoryFile,
      privateMemoryFile: privateMemoryFile(options.tempDir)
    }))

    // No spans in here: making one costs more than the text.
    const instruction = Effect.fnUntraced(function* (request: RequestFacts) {
      const facts: SectionFacts = { ...(yield* sessionFacts), ...(yield* options.state), ...request }
      const custom = yield* customPrompt
      const memory = instructionMemory(yield* contextFiles.files)
      const text = joined([mainText(facts, custom), memory, ...(options.appended ?? []), topicLine(facts.topic)])
      yield* writeDown(text)
      return text
    })

    const mainText = (facts: SectionFacts, custom: string | null): string => {
      if (custom !== null) return fillIn(custom, facts)
      return options.isBare ? bareInstruction(facts) : builtinInstruction(facts, environment.get)
    }

    const workspaceFiles = Effect.gen(function* () {
      if (options.allFiles === undefined) return ""
      const { allFiles } = yield* lazy(() => import("./all-files.ts"))
      const { text, warning } = yield* allFiles({ ...options, ...options.allFiles })
      if (warning !== undefined) yield* warn(warning)
      return text
    })

    const context = Effect.gen(function* () {
      const now = yield* DateTime.now
      const { cwd, platform } = environment
      const roots = [...options.roots, ...(yield* options.addedRoots ?? Effect.succeed([]))]
      const around = { cwd, platform, roots, tempDir: options.tempDir, git: yield* git }
      const files = yield* workspaceFiles
      if (options.isBare) return bareContext(now, around, { files })
      return sessionContext(now, around, {
        tree: options.showsTree ? yield* folderTrees(roots, options.ignore) : "",
        facts: facts === undefined ? "" : yield* facts,
        memory: sessionMemory(yield* contextFiles.files),
        files
      })
    })

    return SystemPrompt.of({
      instruction,
      sessionContext: context,
      takeWarnings: Effect.zipWith(Ref.getAndSet(warnings, []), contextFiles.takeWarnings, (own, files) => [
        ...own,
        ...files
      ])
    })
  })

/** A one-shot answer must not wait for a large repository. */
const GIT_WITHIN = Duration.millis(150)

/** Git begins now, and nothing at all is loaded for a folder without a repository. */
const begunFacts = Effect.fnUntraced(function* (
  wanted: NonNullable<SystemPromptOptions["facts"]>,
  { cwd, variables }: EnvironmentView,
  place: Effect.Effect<GitPlace | undefined>
) {
  const git = yield* place
  const lines: Effect.Effect<ReadonlyArray<string>> =
    git === undefined
      ? Effect.succeed([])
      : yield* Effect.flatMap(
          lazy(() => import("./git-facts.ts")),
          ({ startGitFacts }) => startGitFacts({ cwd, git, variables, within: GIT_WITHIN })
        )
  return Effect.flatMap(
    lazy(() => import("./project-facts.ts")),
    ({ projectFacts }) => projectFacts({ ...wanted, cwd, git: lines })
  )
})

const sandboxOf = (variable: string | undefined): PromptSession["sandbox"] => {
  if (variable === undefined || variable === "") return "none"
  return variable === "sandbox-exec" ? "seatbelt" : "container"
}

/** A title must not end its own brackets. */
const topicLine = (topic: string): string => {
  const title = topic.replace(/[\s\]]+/g, " ").trim()
  return title === "" ? "" : `[Active topic: ${title}]`
}

const joined = (parts: ReadonlyArray<string>): string =>
  parts
    .filter((part) => part.trim() !== "")
    .join("\n\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
