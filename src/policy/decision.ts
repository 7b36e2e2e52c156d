/** What a decision is about, what it is taken from, and what it says. All plain data. */
import type { ApprovalMode } from "../protocol/modes.ts"
import type { ShellAnalysis } from "../shell/analysis/shell-analysis.ts"
import type { ArgumentForms } from "./argument-forms.ts"
import type { Power, PowerFacts } from "./power.ts"
import type { LineReading } from "./reading/reading.ts"
import type { Tier } from "./rule.ts"

export type Verdict = "allow" | "ask" | "deny"

export const SHELL_TOOL = "run_shell_command"

export interface PolicyCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** The same as the tool has decoded them: what it will use. Absent where it reads them itself. */
  readonly used?: Readonly<Record<string, unknown>>
  /** The same as they came, where `args` were brought into form. */
  readonly given?: Readonly<Record<string, unknown>>
  /** The JSON Schema of what the tool declares to take. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Made once by the decision, when the first pattern is tested. */
  readonly forms?: () => ArgumentForms
  /** Other names of the tool. */
  readonly aliases?: ReadonlyArray<string>
  /** The MCP server that offers it. */
  readonly server?: string
  readonly annotations?: Readonly<Record<string, unknown>>
  /** The sub-agent that makes the call. */
  readonly subagent?: string
  /** `ToolKind` of the tool; decides for tools without a rule. */
  readonly kind?: string
  /** Real paths that the call works on, where it was prepared: what is judged is then what is written. */
  readonly targets?: ReadonlyArray<string>
  /** Asked for by the user's own command, not by the model: there is nothing to ask. */
  readonly isClientInitiated?: boolean
}

export interface DecisionContext {
  readonly mode: ApprovalMode
  readonly isInteractive: boolean
  readonly isTrusted: boolean
  readonly cwd: string
  /** Real paths. */
  readonly workspaceDirs: ReadonlyArray<string>
  readonly home: string | undefined
  readonly plansDir: string | undefined
  /** "Always allow" rules count for nothing. */
  readonly ignoresAlways: boolean
  /** Why everything must be asked: a user's rule file that cannot be read may hold a deny. */
  readonly forceAsk: string | undefined
  /** The real path of something that may not exist; `undefined` when it cannot be told. */
  readonly realPath: (path: string) => string | undefined
  /** Whether names that may not be read stand somewhere below a folder. */
  readonly holdsClosed: (folder: string) => boolean
  /** What is known of files that give power, found out for calls that change some; names count without it. */
  readonly powerFacts?: () => PowerFacts
  /** Given for calls of the shell tool: every command that may run, for prohibitions. */
  readonly shell: ShellAnalysis | undefined
  /** Given with it: what is understood of the line, for permissions. */
  readonly reading: LineReading | undefined
  /** Given for calls of `web_fetch`. */
  readonly web?: WebReach | undefined
}

/** A file that the call changes and that gives power. */
export interface PowerOfCall extends Power {
  readonly path: string
}

/** Hosts in the spelling of `siteOf`. */
export interface WebReach {
  /** In the addresses of the call. */
  readonly sites: ReadonlyArray<string>
  /** From which it is fetched: the same, and those that stand behind them. */
  readonly reached: ReadonlyArray<string>
  /** By the person, in prompts of this session. */
  readonly named: ReadonlySet<string>
  /** Whether a host is one that a rule writes about; `undefined` where that is no host at all. */
  readonly isAt: (site: string, written: string) => boolean | undefined
}

/** The rule behind a verdict, as it is shown. */
export interface RuleFacts {
  readonly source: string
  readonly tier: Tier
  /** Tier and priority: 4.95. */
  readonly priority: number
  readonly text: string
}

/** What settled the verdict on a command: a rule or its absence, or something that the command itself does. */
export type VerdictCause =
  | "rule"
  | "no-rule"
  | "neutral"
  | "safe"
  | "opaque"
  | "dangerous"
  | "untrusted"
  | "redirection"
  /** It is not understood far enough. */
  | "doubt"

/** The verdict on one command of a shell line. */
export interface CommandVerdict {
  readonly command: string
  readonly name: string
  /** How it is reached: `$(…)`, `bash -c`, `find -exec`. */
  readonly via: ReadonlyArray<string>
  readonly verdict: Verdict
  readonly cause: VerdictCause
  readonly reason: string
  /** Why it does not count as reading, in one line. */
  readonly doubt?: string
  readonly rule?: RuleFacts
}

export interface Decision {
  readonly verdict: Verdict
  /** One line: why. */
  readonly reason: string
  readonly rule?: RuleFacts
  /** Empty for anything but shell commands. */
  readonly commands: ReadonlyArray<CommandVerdict>
  /** Rules for this tool and mode in the order in which they were tried. */
  readonly considered: ReadonlyArray<RuleFacts>
  /** Text of a deny rule for the model. */
  readonly denyMessage?: string
  /** A shell line of which all is understood, and which only reads. */
  readonly isReading?: true
  /** The call changes a file that gives power: agreeing to many calls does not cover it. */
  readonly power?: PowerOfCall
  /** The call was allowed for these hosts and no others; absent: it may go wherever it is led. */
  readonly onlyHosts?: ReadonlyArray<string>
  /** The flag or rule that would allow the call; absent where nothing does. */
  readonly allowWith?: string
  /** A rule for a policy file that would allow it, as TOML. */
  readonly allowRule?: string
}

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

export const isStricter = (one: Verdict, other: Verdict): boolean => STRICTNESS[one] > STRICTNESS[other]
