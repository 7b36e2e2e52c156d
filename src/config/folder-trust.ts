/**
 * Is the working folder trusted? A folder that is not may contribute nothing that acts. The decision is a pure function
 * of the rules; unknown counts as untrusted.
 */
import { dirname, join } from "node:path"
import { Context, Schema } from "effect"
import type { Trust } from "../protocol/modes.ts"

export const TrustLevel = Schema.Literal("TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST")
export type TrustLevel = typeof TrustLevel.Type

export interface TrustRule {
  /** As written in trustedFolders.json. */
  readonly path: string
  readonly level: TrustLevel
}

export type TrustReason =
  /** `--skip-trust` */
  | "flag"
  /** `GEMINI_CLI_TRUST_WORKSPACE` */
  | "variable"
  /** `security.folderTrust.enabled: false` */
  | "feature-off"
  /** What the editor says in whose terminal the program runs. */
  | "editor"
  | "rule"
  | "no-rule"

/** Stands until it is changed, and covers only what was confirmed: programs of the project are asked about. */
export const isLasting = (reason: TrustReason): boolean => reason === "rule" || reason === "editor"

export interface FolderTrustView {
  readonly trust: Trust
  /** The rule of trustedFolders.json that decided. */
  readonly rule: TrustRule | undefined
  readonly reason: TrustReason
}

export class FolderTrust extends Context.Tag("agent/config/FolderTrust")<FolderTrust, FolderTrustView>() {}

/** A rule together with the real path that it stands for. */
export interface LocatedRule extends TrustRule {
  readonly realPath: string
}

export interface TrustQuestion {
  readonly skipTrust: boolean
  /** Value of `GEMINI_CLI_TRUST_WORKSPACE`. */
  readonly variable: string | undefined
  readonly isFeatureOn: boolean
  /** Whether the person's editor trusts it; `undefined`: it does not say. */
  readonly byEditor?: boolean | undefined
  /** Real path of the working folder. */
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

/** What is decided without looking at any rule, in this order; undefined leaves it to the rules. */
export const settledTrust = (question: TrustQuestion): FolderTrustView | undefined => {
  if (question.skipTrust) return { trust: "trusted", rule: undefined, reason: "flag" }
  if (question.variable === "true") return { trust: "trusted", rule: undefined, reason: "variable" }
  if (question.variable === "false") return { trust: "untrusted", rule: undefined, reason: "variable" }
  if (!question.isFeatureOn) return { trust: "trusted", rule: undefined, reason: "feature-off" }
  return question.byEditor === undefined
    ? undefined
    : { trust: question.byEditor ? "trusted" : "untrusted", rule: undefined, reason: "editor" }
}

/** What the rules say; no rule means untrusted. */
export const trustByRules = (question: TrustQuestion, rules: ReadonlyArray<LocatedRule>): FolderTrustView => {
  const rule = matchingRule(question, rules)
  if (rule === undefined) return { trust: "untrusted", rule: undefined, reason: "no-rule" }
  const { path, level } = rule
  return { trust: level === "DO_NOT_TRUST" ? "untrusted" : "trusted", rule: { path, level }, reason: "rule" }
}

/** The rule with the longest written path wins; of equally long ones, distrust. */
const matchingRule = ({ cwd, platform }: TrustQuestion, rules: ReadonlyArray<LocatedRule>): LocatedRule | undefined =>
  rules
    .filter((rule) => covers(rule.level === "TRUST_PARENT" ? dirname(rule.realPath) : rule.realPath, cwd, platform))
    .sort(
      (one, other) =>
        other.path.length - one.path.length ||
        Number(other.level === "DO_NOT_TRUST") - Number(one.level === "DO_NOT_TRUST")
    )[0]

/** A folder covers itself and everything below. */
const covers = (folder: string, path: string, platform: NodeJS.Platform): boolean => {
  const [outer, inner] = platform === "win32" ? [folder.toLowerCase(), path.toLowerCase()] : [folder, path]
  return inner === outer || inner.startsWith(join(outer, "/"))
}
