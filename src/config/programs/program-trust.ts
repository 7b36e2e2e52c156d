/**
 * Which programs of a project may run: those that the person confirmed in their present form, or all, where a flag or a
 * variable accepts the folder as it is now. A stored trust of the folder covers only what was confirmed.
 */
import { isLasting } from "../folder-trust.ts"
import type { LoadedConfig } from "../load.ts"
import { isOfKind, type ProgramKind } from "./project-program.ts"
import { readTrusted } from "./trusted-programs-file.ts"

export interface ProgramTrust {
  readonly mayRun: (fingerprint: string) => boolean
  /** Others of this kind were confirmed before: what waits is a change of something trusted. */
  readonly isChange: (kind: ProgramKind) => boolean
}

/** `accepted`: agreed to in this session. */
export const programTrust = (
  { environment, storage, trust }: Pick<LoadedConfig, "environment" | "storage" | "trust">,
  accepted: ReadonlySet<string> = new Set()
): ProgramTrust => {
  if (!isLasting(trust.reason)) return { mayRun: () => true, isChange: () => false }
  const stored = readTrusted(storage.trustedHooksFile, environment.cwd) ?? new Set<string>()
  return {
    mayRun: (fingerprint) => stored.has(fingerprint) || accepted.has(fingerprint),
    isChange: (kind) => [...stored].some((one) => isOfKind(one, kind))
  }
}
