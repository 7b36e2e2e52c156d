/** Back ends that take the whole process inside; the others wrap single commands. */
import type { BackendName } from "../choose-sandbox.ts"

const PROCESS_NAMES = ["podman", "docker", "runsc", "lxc", "sandbox-exec", "bwrap-process"] as const
export type ProcessName = (typeof PROCESS_NAMES)[number]

export const isProcessName = (name: BackendName): name is ProcessName =>
  PROCESS_NAMES.some((processName) => processName === name)
