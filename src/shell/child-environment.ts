/**
 * The environment of a command that the model asked for. Three things happen to ours: what belongs to this program is
 * taken out (its credentials, switches of its runtime), the redaction rules are applied, and everything that would make
 * a program wait for a person is turned off.
 *
 * In a trusted folder git keeps the user's configuration: identity, hooks, helpers. In an untrusted one nothing that the
 * folder or the user configured may run, so git is locked down and only the identity is handed on.
 */
import { type ChildVariables, childVariables, type Variables, withVariables } from "../system/child-variables.ts"
import type { RedactionRules } from "../system/environment-redaction.ts"
import { COMMAND_MARK } from "../system/process-table.ts"

export interface GitIdentity {
  readonly name: string | undefined
  readonly email: string | undefined
}

export interface ChildEnvironmentInput {
  readonly variables: Variables
  readonly redaction: RedactionRules
  /** A command of the person's, who sits at its terminal: nothing that asks, pages or edits is turned off. */
  readonly isOwn?: boolean
  /** Program for `PAGER` and `GIT_PAGER`. */
  readonly pager: string
  /** Present: git is locked down, with this identity. */
  readonly lockedGit: GitIdentity | undefined
  /** Inherited by every descendant, so that the whole tree can be found again. */
  readonly mark: string
  readonly nullDevice?: string
}

/** These beat the editor that `GIT_CONFIG_*` sets below. A command can still set them for itself. */
const EDITOR = /^GIT_(?:SEQUENCE_)?EDITOR$/i

const QUIET: Variables = {
  GEMINI_CLI: "1",
  TERM: "xterm-256color",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  DISPLAY: "",
  DBUS_SESSION_BUS_ADDRESS: "",
  GH_PROMPT_DISABLED: "1",
  GCM_INTERACTIVE: "never"
}

export type GitSetting = readonly [key: string, value: string]

/** An empty editor makes git say that a message has to be given with `-m`, instead of waiting in one. */
const QUIET_GIT: ReadonlyArray<GitSetting> = [
  ["core.editor", ""],
  ["sequence.editor", ""],
  ["core.pager", "cat"]
]

const LOCKED_GIT: ReadonlyArray<GitSetting> = [
  ["credential.helper", ""],
  ["core.fsmonitor", ""],
  ["core.hooksPath", ""],
  ["core.sshCommand", ""],
  ["core.editor", ""],
  ["sequence.editor", ""],
  ["diff.external", ""],
  ["core.pager", "cat"]
]

export const childEnvironment = (input: ChildEnvironmentInput): ChildVariables => {
  if (input.isOwn === true && input.lockedGit === undefined) {
    const own = childVariables({ inherits: input.variables, redaction: input.redaction })
    return withVariables(own, { GEMINI_CLI: "1", [COMMAND_MARK]: input.mark })
  }
  const kept = sanitizedEnvironment(input.variables, input.redaction)
  const nullDevice = input.nullDevice ?? "/dev/null"
  const locked = input.lockedGit
  return withVariables(kept, {
    ...QUIET,
    PAGER: input.pager,
    GIT_PAGER: input.pager,
    ...(locked === undefined
      ? gitSettings(kept, QUIET_GIT)
      : {
          GIT_CONFIG_GLOBAL: nullDevice,
          GIT_CONFIG_SYSTEM: nullDevice,
          GIT_CONFIG_NOSYSTEM: "1",
          ...gitSettings(kept, [...LOCKED_GIT, ...identitySettings(locked)])
        }),
    [COMMAND_MARK]: input.mark
  })
}

/** Our variables for a program of the user's that must not open an editor, under the redaction rules. */
export const sanitizedEnvironment = (variables: Variables, redaction: RedactionRules): ChildVariables =>
  childVariables({
    inherits: Object.fromEntries(Object.entries(variables).filter(([name]) => !EDITOR.test(name))),
    redaction
  })

/** Appended to the settings that are already handed over this way. */
export const gitSettings = (variables: Variables, settings: ReadonlyArray<GitSetting>): Variables => {
  const given = Number.parseInt(variables.GIT_CONFIG_COUNT ?? "0", 10)
  const first = Number.isInteger(given) && given > 0 ? given : 0
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value]
  ])
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(first + settings.length) }
}

const identitySettings = (identity: GitIdentity): ReadonlyArray<GitSetting> => [
  ...(identity.name === undefined ? [] : [["user.name", identity.name] as const]),
  ...(identity.email === undefined ? [] : [["user.email", identity.email] as const])
]
