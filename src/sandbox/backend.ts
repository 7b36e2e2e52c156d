/** What a back end is: a way to start a program inside a profile, and an honest word about it. */
import type { SandboxReport } from "../protocol/sandbox-report.ts"
import type { Program } from "../system/programs.ts"
import type { NetworkWish } from "./choose-sandbox.ts"
import type { PrivateFiles } from "./private-files.ts"
import type { Mount } from "./process/process-backend.ts"
import type { SandboxProfile } from "./profile.ts"
import type { ConfinedProgram, Confinement } from "./sandbox.ts"

export interface SandboxBackend {
  readonly name: "bwrap" | "landlock"
  /** Throws what stands in the way. */
  readonly enter: (entry: SandboxEntry) => ConfinedProgram
  readonly strength: SandboxReport["strength"]
  readonly gaps: (network: NetworkWish) => ReadonlyArray<string>
  /** Whether the network can be opened for a list of domains; else it stays closed. */
  readonly filtersDomains: boolean
}

export interface SandboxEntry {
  readonly program: Program
  readonly profile: SandboxProfile
  readonly how: Confinement
  readonly files: PrivateFiles
  /** Where it may connect through; absent: nowhere. */
  readonly proxy: EntryProxy | undefined
  /** Other places that are seen at a place of their own, on top of the profile. */
  readonly mounts?: ReadonlyArray<Mount>
  /** How this program starts itself. */
  readonly self: ReadonlyArray<string>
}

export interface EntryProxy {
  readonly socket: string
  /** A rule opens this machine; else `localhost` is the inside. */
  readonly opensLocalhost: boolean
}

/** Ways to processes that act for others; what they lead to is not there inside. */
export const CUT_OFF: Readonly<Record<string, string>> = {
  SSH_AUTH_SOCK: "",
  GPG_AGENT_INFO: "",
  XDG_RUNTIME_DIR: "",
  WAYLAND_DISPLAY: "",
  DBUS_SESSION_BUS_ADDRESS: "",
  DOCKER_HOST: ""
}
