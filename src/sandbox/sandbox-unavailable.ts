/** A sandbox was asked for and cannot be had: nothing runs without it (exit 44). */
import { Schema } from "effect"

/** It was there, and did not bring the run inside. */
export const hopFailed = (name: string, detail: string): SandboxUnavailable =>
  new SandboxUnavailable({
    requestedBy: "this run",
    reasons: [`${name}: ${detail}`],
    advice: "Nothing was run. GEMINI_SANDBOX names another sandbox; GEMINI_SANDBOX=false runs without one."
  })

/** What to install, where none works. */
export const adviceFor = (platform: NodeJS.Platform): string => ADVICE[platform] ?? OTHER_ADVICE

const ADVICE: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux:
    "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap) and allow user namespaces, or use a kernel with Landlock (5.13 or newer), or install podman or docker. gemini sandbox check tells more.",
  darwin: "sandbox-exec is a part of macOS; else install docker or podman and start it.",
  win32:
    "Install docker or podman and start it; there is no other sandbox on Windows yet. Under WSL 2 those of Linux work."
}
const OTHER_ADVICE = "Install docker or podman and start it."

export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  /** The flag, the variable or the setting. */
  requestedBy: Schema.String,
  /** What stood in the way of each candidate. */
  reasons: Schema.Array(Schema.String),
  /** What to install or to change. */
  advice: Schema.String
}) {
  override get message() {
    return `a sandbox was asked for by ${this.requestedBy}, but ${this.reasons.join("; ")}`
  }
}
