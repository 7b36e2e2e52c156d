/** What the model and people read about a finished shell command. The labels are a format that prompts rely on. */
import { Duration } from "effect"
import type { ShellResult } from "../shell/shell-command.ts"

export const resultForModel = (result: ShellResult): string => {
  if (result.timedOut !== undefined) return timeoutText(result, result.timedOut)
  return [
    `Output: ${result.output === "" ? "(empty)" : result.output}`,
    ...labels(result),
    ...sandboxNote(result),
    ...(result.isOutputHeld && result.backgroundPids.length === 0
      ? ["Note: a process that this command started is still running and holds its output."]
      : [])
  ].join("\n")
}

export const resultForPeople = (result: ShellResult): string => {
  if (result.timedOut !== undefined) return timeoutText(result, result.timedOut)
  if (result.output !== "") return result.output
  if (result.signal !== null) return `The command was ended by signal ${result.signal}.`
  if (result.exitCode !== null && result.exitCode !== 0) return `The command ended with exit code ${result.exitCode}.`
  return ""
}

/** What programs say when a wall is in their way. */
const DENIED =
  /operation not permitted|permission ?(?:denied|error)|EPERM|EACCES|read-only file system|access denied|could(?: not|n't) resolve|name resolution|network is unreachable|ENETUNREACH|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAFNOSUPPORT|address family not supported|getaddrinfo/i

const SANDBOX_NOTE = {
  read: "Note: this command ran without a question, so it could only read, inside the workspace and without network. If it failed for that, tell the user; the setting security.sandboxUnasked turns this off.",
  write:
    "Note: this command ran in a sandbox. If it failed for that, do not try ways around it: tell the user. The settings tools.sandboxAllowedPaths and tools.sandboxNetworkAccess open more to it."
}

const sandboxNote = ({ confinedTo, exitCode, output }: ShellResult): ReadonlyArray<string> =>
  confinedTo !== undefined && exitCode !== 0 && DENIED.test(output) ? [SANDBOX_NOTE[confinedTo]] : []

const labels = ({ backgroundPids, exitCode, pid, signal }: ShellResult): ReadonlyArray<string> => [
  ...(exitCode !== null && exitCode !== 0 ? [`Exit Code: ${exitCode}`] : []),
  ...(signal === null ? [] : [`Signal: ${signal}`]),
  ...(backgroundPids.length === 0 ? [] : [`Background PIDs: ${backgroundPids.join(", ")}`]),
  `Process Group PGID: ${pid}`
]

const timeoutText = ({ output }: ShellResult, { silence, tree }: NonNullable<ShellResult["timedOut"]>): string =>
  [
    `The command was ended because it timed out: ${Duration.toMinutes(silence).toFixed(1)} minutes without output.`,
    "If it waits for input, give it the input on the command line; if it is a server, run it in the background.",
    ...(tree.killed.length === 0
      ? []
      : [`These processes did not end when asked and were killed: ${tree.killed.join(", ")}`]),
    ...(tree.survivors.length === 0 ? [] : [`These processes could not be ended: ${tree.survivors.join(", ")}`]),
    output === "" ? "There was no output before that." : `Output before that: ${output}`
  ].join("\n")
