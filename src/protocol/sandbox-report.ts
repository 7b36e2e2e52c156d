/** What stands between the commands of a run and the machine, as `init`, `json` and `gemini sandbox check` tell it. */
import { Schema } from "effect"

export const SandboxReport = Schema.Struct({
  backend: Schema.String,
  /** Everything of the run is inside, and not only its commands. */
  isWhole: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /** `domains`: only to those in `domains`. */
  network: Schema.Literal("off", "on", "domains"),
  domains: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  /** Real paths of folders that commands may change. */
  writable: Schema.Array(Schema.String),
  /** `full`: nothing of what a sandbox promises is missing. `partial`: see `gaps`. */
  strength: Schema.Literal("full", "partial"),
  /** What it does not keep from happening, each in one sentence. */
  gaps: Schema.Array(Schema.String)
})
export type SandboxReport = typeof SandboxReport.Type

/** What a person reads when a run begins. */
export const sandboxLine = (report: SandboxReport): string =>
  `[INFO] ${report.isWhole === true ? "this runs" : "commands run"} in a sandbox: ${report.backend}, network ${networkText(report)}, writable: ${report.writable.join(", ")}${report.gaps.length === 0 ? "" : "; gemini sandbox check tells its gaps"}`

export const networkText = ({ domains, network }: Pick<SandboxReport, "network" | "domains">): string =>
  network === "domains" ? `to ${(domains ?? []).join(", ")} only` : network
