/** What a person is shown and asked before a tool call runs, and how a standing approval of it is narrowed. */

export interface DiffStat {
  readonly model_added_lines: number
  readonly model_removed_lines: number
  readonly model_added_chars: number
  readonly model_removed_chars: number
  readonly user_added_lines: number
  readonly user_removed_lines: number
  readonly user_added_chars: number
  readonly user_removed_chars: number
}

export interface FileDiff {
  readonly fileDiff: string
  readonly fileName: string
  readonly filePath: string
  /** `null` for a file that did not exist. */
  readonly originalContent: string | null
  readonly newContent: string
  readonly diffStat: DiffStat
  readonly isNewFile: boolean
}

/** In the words of the reference; `domains` is ours. */
export interface AdditionalPermissions {
  readonly network: boolean
  readonly domains?: ReadonlyArray<string>
  readonly fileSystem: { readonly read: ReadonlyArray<string>; readonly write: ReadonlyArray<string> }
}

/** What a person is asked about before a call runs. */
export type Confirmation =
  | { readonly type: "edit"; readonly title: string; readonly diff: FileDiff }
  | {
      readonly type: "exec"
      readonly title: string
      readonly command: string
      readonly rootCommands: ReadonlyArray<string>
      /** Where it runs, links resolved, if not where the session is. */
      readonly folder?: string
      /** It goes on when the call has ended. */
      readonly isBackground?: boolean
    }
  | {
      readonly type: "sandbox_expansion"
      readonly title: string
      readonly command: string
      readonly rootCommands: ReadonlyArray<string>
      readonly folder?: string
      readonly isBackground?: boolean
      /** It has run, and would run once more. */
      readonly isAgain: boolean
      /** What would be opened to it, in words. */
      readonly opens: string
      /** Where the wish comes from. */
      readonly origin: string
      readonly additionalPermissions: AdditionalPermissions
    }
  | { readonly type: "info"; readonly title: string; readonly prompt: string; readonly urls: ReadonlyArray<string> }
  | { readonly type: "ask_user"; readonly title: string; readonly questions: ReadonlyArray<unknown> }
  | { readonly type: "exit_plan_mode"; readonly title: string; readonly planPath: string }
  | {
      readonly type: "mcp"
      readonly title: string
      readonly serverName: string
      /** As the server calls it. */
      readonly toolName: string
      readonly toolDisplayName: string
      readonly toolArgs: Readonly<Record<string, unknown>>
      readonly toolDescription?: string
      readonly toolParameterSchema?: Readonly<Record<string, unknown>>
    }

/** How "always allow" is narrowed for this call. Absent: by the tool's name alone. */
export type Narrowing =
  | { readonly by: "argument"; readonly key: string; readonly value: string }
  | { readonly by: "command"; readonly prefixes: ReadonlyArray<string>; readonly allowRedirection: boolean }
  | { readonly by: "hosts"; readonly hosts: ReadonlyArray<string> }
  /** `tool` absent: every tool of the server. */
  | { readonly by: "mcp"; readonly server: string; readonly tool?: string }
