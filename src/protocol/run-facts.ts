/** What is settled about a run before its services are made. Each room takes the few facts that it names. */

import { Context, Effect } from "effect"
import type { SessionId } from "./ids.ts"
import type { ApprovalMode } from "./modes.ts"

export interface RunFacts {
  readonly sessionId: SessionId
  /** Prompt and model only: no context files, no project configuration, nobody is asked which model to take. */
  readonly isBare: boolean
  /** A recorded conversation is played, which is nobody's own. */
  readonly isDemo: boolean
  /** Nothing is recorded, and nothing written under the home folder. */
  readonly isEphemeral: boolean
  /** A person is there who can be asked. */
  readonly isInteractive: boolean
  /** In which the run begins. */
  readonly approvalMode: ApprovalMode
  /** Those that are enabled in this folder. */
  readonly extensions: ReadonlyArray<EnabledExtension>
  /** Fingerprints of programs of the project that the person agreed to in this session. */
  readonly acceptedPrograms: ReadonlySet<string> | undefined
}

/** Where a tool of an MCP server comes from, as hooks are told: without variables, headers or credentials. */
export interface McpContext {
  readonly server_name: string
  /** As the server calls it. */
  readonly tool_name: string
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly cwd?: string
  readonly url?: string
  readonly tcp?: string
}

/**
 * What one enabled extension brings: its manifest read, its variables filled in, its settings looked up.
 *
 * Every room takes its share from here and treats it like the user's own; commands, skills, agents and policies are
 * found by their folder in `path`.
 */
export interface ExtensionParts {
  readonly name: string
  readonly version: string
  /** The folder that its files are read from: that of the source for a linked one. */
  readonly path: string
  /** As in settings, without `trust`. */
  readonly mcpServers: Readonly<Record<string, unknown>>
  /** Absolute paths of files that exist. */
  readonly contextFiles: ReadonlyArray<string>
  readonly excludeTools: ReadonlyArray<string>
  /** The value of `hooks` in that file. */
  readonly hooks: Readonly<Record<string, unknown>>
  readonly hooksFile: string
  /** The values of its settings by variable, for its servers and hooks. */
  readonly environment: Readonly<Record<string, string>>
  readonly planDirectory: string | undefined
}

/** An extension of a run, with what is said of it in listings and telemetry. */
export interface EnabledExtension extends ExtensionParts {
  /** SHA-256 of where it came from. */
  readonly id: string
  /** It is brought up to date by itself. */
  readonly autoUpdates: boolean
  /** Names in `environment` whose values must not be seen. */
  readonly secretVariables: ReadonlyArray<string>
}

/** Where the session is recorded, for programs that are told of it; absent until something was written. */
export class TranscriptFile extends Context.Reference<TranscriptFile>()("agent/protocol/TranscriptFile", {
  defaultValue: (): Effect.Effect<string | undefined> => Effect.sync(() => undefined)
}) {}

/** Command lines that the program runs by itself without looking whether their files have changed. */
export class UnwatchedCommands extends Context.Reference<UnwatchedCommands>()("agent/protocol/UnwatchedCommands", {
  defaultValue: (): Effect.Effect<ReadonlyArray<string>> => Effect.succeed([])
}) {}
