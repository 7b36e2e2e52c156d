/** What the sections of the system instruction are written from. Plain data: a section is a pure function of it. */
import type { ApprovalMode } from "../protocol/modes.ts"

export interface SkillEntry {
  readonly name: string
  readonly description: string
  /** Path of its `SKILL.md`. */
  readonly location: string
}

export interface OfferedAgent {
  readonly name: string
  readonly description: string
}

/** What may change between two requests of a session. */
export interface PromptState {
  readonly mode: ApprovalMode
  /** Path of the plan that the person agreed to; `null` where there is none. */
  readonly approvedPlan: string | null
  /** Title of what the session is about; empty where none is set. */
  readonly topic: string
  readonly skills: ReadonlyArray<SkillEntry>
  readonly agents: ReadonlyArray<OfferedAgent>
}

/** What a request is for. */
export interface RequestFacts {
  /** The id that is sent. */
  readonly model: string
  /** Names of the tools that are declared. */
  readonly tools: ReadonlyArray<string>
}

/** What stays the same for the whole session. */
export interface PromptSession {
  /** A person can be asked. */
  readonly isInteractive: boolean
  readonly sandbox: "none" | "seatbelt" | "container" | "commands"
  readonly isGitRepository: boolean
  /** `tools.shell.enableShellOutputEfficiency` */
  readonly prefersQuietCommands?: boolean
  readonly plansDir: string
  readonly trackerDir: string
  /** Names of context files; never empty. */
  readonly contextFileName: string
  /** Absent where there is no home folder. */
  readonly globalMemoryFile: string | undefined
  readonly privateMemoryFile: string
}

export interface SectionFacts extends PromptSession, RequestFacts, PromptState {}

export const hasTool = (facts: RequestFacts, name: string): boolean => facts.tools.includes(name)

/** Models before Gemini 3 need to be held to their task; ids that nobody knows are taken for newer ones. */
export const isLegacyModel = (model: string): boolean => /^(?:models\/)?gemini-[12](?:[.-]|$)/.test(model)

/** Bullets from the texts that apply; `false` leaves one out. */
export const bullets = (...lines: ReadonlyArray<string | false>): string =>
  lines.flatMap((line) => (line === false ? [] : [`- ${line}`])).join("\n")
