/** Tools as `gemini tools` prints them: a line each, or JSON with the whole declaration. Pure. */
import { oneLine } from "../../kernel/one-line.ts"
import { jsonText } from "../../kernel/readable-text.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import { isOffered } from "../../tools/declaration.ts"
import type { ToolKind } from "../../tools/tool.ts"

export interface ToolRow {
  readonly name: string
  /** Also older ones. */
  readonly names: ReadonlyArray<string>
  readonly kind: ToolKind
  readonly description: string
  readonly parameters: unknown
  /** Why it is hidden where a person can be asked; `undefined` when it is offered. */
  readonly interactive: string | undefined
  /** The same for runs with `-p`. */
  readonly headless: string | undefined
}

export interface Offer {
  readonly mode: ApprovalMode
  readonly modelId: string
  /** Why the policy hides a tool, by its name. */
  readonly reasons: ReadonlyMap<string, string>
  readonly declarations: { readonly has: (name: string) => boolean }
}

export const hiddenBecause = (name: string, offer: Offer): string | undefined => {
  if (offer.declarations.has(name)) return undefined
  if (!isOffered(name, offer.mode)) return `it has no place in approval mode ${offer.mode}`
  const rule = offer.reasons.get(name)
  return rule === undefined ? `${offer.modelId} is not told of it` : `denied by policy: ${rule}`
}

export const toolJson = ({ description, headless, interactive, kind, name, parameters }: ToolRow) => ({
  name,
  kind,
  description,
  offered: { interactive: interactive === undefined, headless: headless === undefined },
  hidden_because: interactive ?? headless ?? null,
  parameters: parameters ?? null
})

/** All that the model is told of one tool. */
export const toolText = (row: ToolRow): string => {
  const why = row.interactive ?? row.headless
  const description = row.description.replace(CONTROLS_BUT_NEWLINE, " ").trim()
  return [
    `${row.name} (${row.kind}): ${stateOf(row)}${why === undefined ? "" : `, ${why}`}`,
    description,
    jsonText(row.parameters ?? {}, 2),
    ""
  ].join("\n")
}

const CONTROLS_BUT_NEWLINE = /(?!\n)\p{Cc}/gu

/** Name, kind, where it is offered; then what it does, or why it is hidden. */
export const toolsText = (rows: ReadonlyArray<ToolRow>): string => {
  if (rows.length === 0) return "No tools.\n"
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .map((row) => {
      const last = row.interactive !== undefined && row.headless !== undefined ? row.interactive : firstLine(row)
      return `${row.name.padEnd(width)}  ${row.kind.padEnd(11)}  ${stateOf(row).padEnd(9)}  ${last}\n`
    })
    .join("")
}

const stateOf = ({ headless, interactive }: ToolRow): string => {
  if (interactive === undefined) return headless === undefined ? "offered" : "not in -p"
  return headless === undefined ? "only -p" : "hidden"
}

const LONGEST_LINE = 100

/** Texts of discovered tools are not ours: what would act on the terminal is taken out. */
const firstLine = ({ description }: ToolRow): string => {
  const [sentence = ""] = oneLine(description, description.length).split(/(?<=[.!?])\s/)
  return oneLine(sentence, LONGEST_LINE)
}
