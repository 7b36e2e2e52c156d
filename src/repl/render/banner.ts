/** The first lines of a conversation: what answers, where, and how far it is trusted; then the words that scripts wait for. */

import { visibleLine } from "../../kernel/visible-text.ts"
import type { ApprovalMode, Trust } from "../../protocol/modes.ts"
import { cutLine } from "./framed.ts"
import { marksFor } from "./marks.ts"
import type { Paint } from "./paint.ts"

export interface BannerFacts {
  readonly version: string
  readonly model: string
  readonly folder: string
  readonly home: string | undefined
  readonly trust: Trust
  readonly mode: ApprovalMode
  /** Who is signed in with Google, and as what. */
  readonly account?: { readonly email: string | undefined; readonly tier: string; readonly project: string | undefined }
  /** `ui.hideBanner`: only the invitation is left. */
  readonly isHidden: boolean
}

export interface BannerStyle {
  readonly columns: number
  readonly unicode: boolean
  readonly paint: Paint
}

export const bannerLines = (facts: BannerFacts, style: BannerStyle): ReadonlyArray<string> => {
  const marks = marksFor(style)
  const separator = ` ${marks.separator} `
  const program = `gemini ${facts.version}${separator}${visibleLine(facts.model)}`
  const mode = facts.mode === "default" ? "" : `${separator}approval mode ${facts.mode}`
  const place = `${shortFolder(facts)} (${facts.trust})${mode}`
  const fits = Bun.stringWidth(program + separator + place) < style.columns
  const lines = [...(fits ? [program + separator + place] : [program, place]), ...accountLine(facts, separator)]
  return [
    ...(facts.isHidden ? [] : lines.map((line) => style.paint(cutLine(line, style.columns - 1, marks), "dim"))),
    "  Type your message or @path/to/file"
  ]
}

const accountLine = ({ account }: BannerFacts, separator: string): ReadonlyArray<string> => {
  if (account === undefined) return []
  const words = [account.email, account.tier, account.project === undefined ? undefined : `project ${account.project}`]
  return [words.flatMap((word) => (word === undefined ? [] : [visibleLine(word)])).join(separator)]
}

const shortFolder = ({ folder, home }: BannerFacts): string => {
  const isBelowHome = home !== undefined && (folder === home || folder.startsWith(`${home}/`))
  return visibleLine(isBelowHome ? `~${folder.slice(home.length)}` : folder)
}
