/** How the program inside knows what it is in: the run outside tells it, by a variable. */
import { Option, Schema } from "effect"
import { SandboxReport } from "../../protocol/sandbox-report.ts"
import type { Hop, ProcessBackend } from "./process-backend.ts"

export const REPORT_VARIABLE = "GEMINI_SANDBOX_REPORT"

const Document = Schema.parseJson(SandboxReport)

export const reportText = ({ gaps, name, strength }: ProcessBackend, hop: Hop): string =>
  Schema.encodeSync(Document)({
    backend: name,
    isWhole: true,
    ...(hop.network === "on"
      ? { network: "on" as const }
      : { network: "domains" as const, domains: hop.network.map(({ text }) => text) }),
    writable: [hop.cwd, ...hop.roots],
    strength,
    gaps: gaps(hop)
  })

const decode = Schema.decodeUnknownOption(Document)

export const reportFrom = (text: string | undefined): SandboxReport | undefined => Option.getOrUndefined(decode(text))
