/** What the folders of an extension hold, read by the rooms that will use it: each says itself what it cannot use. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { problemText as agentProblem } from "../../../agents/agent.ts"
import { readAgentFolder } from "../../../agents/definition/agent-folder.ts"
import { readHooks } from "../../../extensions/parts.ts"
import { fromTable } from "../../../hooks/definitions.ts"
import { matcherFault } from "../../../hooks/matching.ts"
import { fillVariables } from "../../../kernel/extension-variables.ts"
import { lazy } from "../../../kernel/lazy.ts"
import { isFitForExtension } from "../../../policy/policy-files.ts"
import { problemText as policyProblem } from "../../../policy/policy-problem.ts"
import { discoverSkills } from "../../../skills/discover-skills.ts"
import { listFolders } from "../../../skills/skill-folders.ts"
import { provideCommand } from "../../../slash/command.ts"
import { loadCommands } from "../../../slash/custom/load-commands.ts"
import { readRegularFile } from "../../../system/regular-file.ts"

/** One line each, with the file and where possible the line. */
export interface PartFaults {
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

export const validateParts = Effect.fn("Extensions.validateParts")(function* (path: string, name: string) {
  const source = { _tag: "Extension", extension: name } as const
  const commands = yield* loadCommands(
    [{ folder: join(path, "commands"), sourceOf: (file) => ({ ...source, file }) }],
    // They are read, never run.
    (command) => provideCommand(command, Effect.never)
  )
  const agents = yield* readAgentFolder({
    folder: join(path, "agents"),
    origin: "extension",
    extension: name,
    fillIn: (text) => fillVariables(text, { extensionPath: path, workspacePath: path })
  })
  const skills = yield* discoverSkills([], listFolders([{ path: join(path, "skills"), source }]))
  const written = readHooks(path)
  const hooks = fromTable(written.hooks, { scope: "extension", file: written.file, extension: name })
  const policies = yield* readPolicies(join(path, "policies"))
  const ofSeverity = (severity: "error" | "warning") =>
    policies.flatMap(({ problems }) => problems.filter((one) => one.severity === severity).map(policyProblem))
  const faults: PartFaults = {
    errors: [
      ...commands.notices,
      ...agents.problems.map(agentProblem),
      ...skills.warnings,
      ...hooks.problems,
      ...hooks.hooks.flatMap(matcherFault),
      ...policies.flatMap(({ refusal }) => refusal),
      ...ofSeverity("error")
    ],
    warnings: [
      ...ofSeverity("warning"),
      ...policies
        .filter(({ rules }) => !rules.every(isFitForExtension))
        .map(({ file }) => `${file}: rules that allow something, and rules for YOLO, are left out`)
    ]
  }
  return faults
})

const MAX_BYTES = 1024 * 1024

const readPolicies = Effect.fnUntraced(function* (folder: string) {
  const { readRuleFile } = yield* lazy(() => import("../../../policy/rule-file.live.ts"))
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".toml")) : []
  return names.toSorted().map((name) => {
    const file = join(folder, name)
    const content = readRegularFile(file, MAX_BYTES)
    const text = content.kind === "text" ? content.text : ""
    const refusal = content.kind === "refused" ? [`${file}: ${content.reason}`] : []
    return { file, refusal, ...readRuleFile(text, { file, tier: "extension" }) }
  })
})
