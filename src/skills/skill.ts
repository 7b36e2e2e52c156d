/**
 * What a skill is: instructions for a kind of task, with a name and a line that says when they help; and why one
 * cannot be used. Plain data.
 */
import { Schema } from "effect"

export type SkillSource =
  | { readonly _tag: "BuiltIn" }
  | { readonly _tag: "Extension"; readonly extension: string }
  | { readonly _tag: "User" }
  | { readonly _tag: "Project" }

export interface Skill {
  /** With the name of its extension before it, where it comes from one. */
  readonly name: string
  readonly description: string
  /** Its `SKILL.md`, or a word for one that is built in. */
  readonly location: string
  /** Absent for one that is built in. */
  readonly directory: string | undefined
  readonly source: SkillSource
  /** Its own head turns it off, whatever the settings say. */
  readonly isOff?: true
  /** Where it has to lie, links followed, when it is read. */
  readonly border?: string
}

/** Names become names of folders, commands and arguments: what none of them may hold is replaced. */
export const plainName = (name: string): string => name.replace(/[:\\/<>*?"|]/g, "-").trim()

/** Names are compared without regard to case where a person writes them. */
export const skillId = (name: string): string => name.trim().toLowerCase()

/** A skill that cannot be used: in which file, on which line, and why. */
export class SkillError extends Schema.TaggedError<SkillError>()("SkillError", {
  file: Schema.String,
  atLine: Schema.Number,
  detail: Schema.String
}) {
  override get message() {
    return `skill ${this.file}:${this.atLine}: ${this.detail}`
  }
}
