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
