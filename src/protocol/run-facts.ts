/** What is settled about a run before its services are made. Each room takes the few facts that it names. */
import type { EnabledExtension } from "./extension-parts.ts"
import type { SessionId } from "./ids.ts"
import type { ApprovalMode } from "./modes.ts"

export interface RunFacts {
  readonly sessionId: SessionId
  /** Prompt and model only: no context files, no project configuration, nobody is asked which model to take. */
  readonly isBare: boolean
  /** A recorded conversation is played, which is nobody's own. */
  readonly isDemo: boolean
  /** Nothing is recorded, and nothing written under the home folder. */
  readonly isEphemeral: boolean
  /** A person is there who can be asked. */
  readonly isInteractive: boolean
  /** In which the run begins. */
  readonly approvalMode: ApprovalMode
  /** Those that are enabled in this folder. */
  readonly extensions: ReadonlyArray<EnabledExtension>
  /** Fingerprints of programs of the project that the person agreed to in this session. */
  readonly acceptedPrograms: ReadonlySet<string> | undefined
}
