/**
 * What a shell command lacks in a sandbox, as the shell tool sees it: what the model asks for, what such commands usually
 * need, and what the answer says where the sandbox was in the way.
 */
import { Effect, Schema } from "effect"
import type { CommandGrant } from "../sandbox/command-grants.ts"
import type { Confinement, ExpansionRequest, Sandbox } from "../sandbox/sandbox.ts"
import { programWords, type ShellAnalysis } from "../shell/analysis/shell-analysis.ts"
import { rootCommandsOf } from "../shell/command-prefix.ts"
import type { ShellRequest, ShellResult } from "../shell/shell-command.ts"
import { type CallExpansion, ToolFailure } from "./tool.ts"

const paths = Schema.optionalWith(Schema.Array(Schema.String), { exact: true, default: () => [] })

export const AdditionalPermissions = Schema.Struct({
  network: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false }),
  domains: paths,
  fileSystem: Schema.optionalWith(Schema.Struct({ read: paths, write: paths }), {
    exact: true,
    default: () => ({ read: [], write: [] })
  })
})

export const grantOf = ({ domains, fileSystem, network }: typeof AdditionalPermissions.Type): CommandGrant => ({
  writes: fileSystem.write,
  reads: fileSystem.read,
  domains: network ? [] : domains,
  network
})

/** Nobody knows whom a grant would serve where names mean something else, or a part is known only when it runs. */
export const grantedPrograms = (analysis: ShellAnalysis): ReadonlyArray<string> => {
  const unknown = [...analysis.opaque, ...analysis.commands.flatMap(({ opaque }) => opaque)]
  return unknown.every(({ kind }) => kind === "code") ? rootCommandsOf(analysis) : []
}

export const confinementOf = (request: ShellRequest): Confinement => ({
  access: request.isUnasked === true ? "read" : "write",
  usesGit: request.usesGit === true,
  commands: request.programs ?? []
})

/** What a person is asked about before the command runs. */
export const expansionBefore = Effect.fnUntraced(function* (
  sandbox: Sandbox["Type"],
  request: ShellRequest,
  { analysis, stated }: { readonly analysis: ShellAnalysis; readonly stated: CommandGrant | undefined }
) {
  const asked = { cwd: request.cwd, how: confinementOf(request) }
  const ask = (because: ExpansionRequest["because"]) => sandbox.expansion({ ...asked, because })
  const wish = stated === undefined ? undefined : yield* ask({ _tag: "Stated", wish: stated })
  if (wish?._tag === "Refused") {
    return yield* new ToolFailure({
      type: "invalid_tool_params",
      message: `additional_permissions: ${wish.reason}. The sandbox is never opened that far by an answer to a question; tell the user what you need it for.`
    })
  }
  if (wish !== undefined) return { ...wish, isStated: true } satisfies CallExpansion as CallExpansion
  const commands = analysis.commands.map((command) => programWords(command).map(({ value }) => value))
  const usual = yield* ask({ _tag: "Usual", commands })
  return usual?._tag === "Offer" ? ({ ...usual, isStated: false } satisfies CallExpansion as CallExpansion) : undefined
})

/** What a person could open to a command that the sandbox was in the way of. */
export const expansionAfter = Effect.fnUntraced(function* (
  sandbox: Sandbox["Type"],
  request: ShellRequest,
  { confinedTo, exitCode, output, refusedHosts = [], timedOut }: ShellResult
) {
  const isStopped = confinedTo !== undefined && (exitCode !== 0 || refusedHosts.length > 0) && timedOut === undefined
  if (!isStopped) return undefined
  const because = { _tag: "Denied", output, refusedHosts } as const
  const found = yield* sandbox.expansion({ cwd: request.cwd, how: confinementOf(request), because })
  return found?._tag === "Offer" ? found : undefined
})

/** A command that ran unasked is asked about as any other: nothing is opened but what such a command has. */
export const ASKED_INSTEAD = "what commands have that you agree to, where this one could only read"

/** What programs say when a wall is in their way. */
const DENIED =
  /operation not permitted|permission ?(?:denied|error)|EPERM|EACCES|read-only file system|access denied|could(?: not|n't) resolve|name resolution|network is unreachable|ENETUNREACH|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAFNOSUPPORT|address family not supported|getaddrinfo/i

const SANDBOX_NOTE = {
  read: "Note: this command ran without a question, so it could only read, inside the workspace and without network. If it failed for that, tell the user; the setting security.sandboxUnasked turns this off.",
  write:
    "Note: this command ran in a sandbox. If it failed for that, do not try ways around it: tell the user. The settings tools.sandboxAllowedPaths and tools.sandboxNetworkAccess open more to it, and /sandbox allow opens the network or a folder to one command."
}

export const NOT_OPENED =
  "Note: the additional_permissions were not given, because nobody can be asked in this run; sandbox.toml can give them."

/** For the model, behind the output. */
export const sandboxNote = ({ confinedTo, exitCode, output, refusedHosts = [] }: ShellResult): ReadonlyArray<string> =>
  refusedHosts.length > 0
    ? [refusedNote(refusedHosts)]
    : confinedTo !== undefined && exitCode !== 0 && DENIED.test(output)
      ? [SANDBOX_NOTE[confinedTo]]
      : []

const refusedNote = (hosts: ReadonlyArray<string>): string =>
  `Note: the sandbox did not let this command connect to ${hosts.join(", ")}. Do not try ways around it: tell the user, who can add the host to the setting tools.sandboxAllowedDomains.`
