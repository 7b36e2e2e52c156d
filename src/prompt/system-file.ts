/** A system prompt of the user's own: which file the variable names, what is filled in, and the files themselves. */

import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import type { EnvironmentView } from "../config/environment.ts"
import { projectBorder, strayReason } from "../files/brought-file.ts"
import { isInside } from "../files/containment.ts"
import { lazy } from "../kernel/lazy.ts"
import { PromptError } from "./prompt-error.ts"
import type { PromptState, RequestFacts } from "./section-facts.ts"
import { agentContexts, agentSkills } from "./sections/offers.ts"
import { readTextHead } from "./text-head.ts"

export interface FilePlace {
  readonly cwd: string
  readonly home: string | undefined
}

/** The file that `GEMINI_SYSTEM_MD` or `GEMINI_WRITE_SYSTEM_MD` names; `undefined` when it is off. */
export const systemFileOf = (value: string | undefined, { cwd, home }: FilePlace): string | undefined => {
  const text = value?.trim() ?? ""
  const word = text.toLowerCase()
  if (word === "" || word === "0" || word === "false") return undefined
  if (word === "1" || word === "true") return join(cwd, ".gemini", "system.md")
  return resolve(
    cwd,
    text.replace(/^~(?=$|[/\\])/, () => home ?? homedir())
  )
}

/** Fills in `${AgentSkills}`, `${SubAgents}`, `${AvailableTools}` and `${<tool>_ToolName}`; anything else stays. */
export const fillIn = (text: string, facts: RequestFacts & Pick<PromptState, "agents" | "skills">): string =>
  text.replace(/\$\{(\w+)\}/g, (whole: string, name: string) => {
    if (name === "AgentSkills") return facts.skills.length === 0 ? "" : agentSkills(facts.skills)
    if (name === "SubAgents") return facts.agents.length === 0 ? "" : agentContexts(facts.agents)
    if (name === "AvailableTools") return toolList(facts.tools)
    const tool = name.replace(/_ToolName$/, "")
    return tool !== name && facts.tools.includes(tool) ? tool : whole
  })

const toolList = (tools: ReadonlyArray<string>): string =>
  tools.length === 0 ? "No tools are available." : tools.map((name) => `- ${name}`).join("\n")

/** A system prompt longer than this is a mistake. */
const MAX_SYSTEM_BYTES = 1024 * 1024

export const readSystemFile = (file: string, environment: EnvironmentView): Effect.Effect<string, PromptError> =>
  Effect.suspend(() => {
    const fault = { file, variable: "GEMINI_SYSTEM_MD" } as const
    const stray = strayOf(file, environment)
    if (stray !== undefined) return new PromptError({ ...fault, kind: "unreadable", reason: stray })
    const head = readTextHead(file, MAX_SYSTEM_BYTES)
    if (head.kind === "missing") return new PromptError({ ...fault, kind: "missing" })
    if (head.kind === "refused") return new PromptError({ ...fault, kind: "unreadable", reason: head.reason })
    if (head.isCut) return new PromptError({ ...fault, kind: "unreadable", reason: "is larger than 1 MiB" })
    return Effect.succeed(head.text)
  })

/**
 * A file of the project, or one that the project names, stays in the project. The user may name any file; `~/.env`, which
 * other programs write too, may name what lies in the home folder.
 */
const strayOf = (file: string, { cwd, dotenv, home }: EnvironmentView): string | undefined => {
  const namedIn = dotenv?.names.includes("GEMINI_SYSTEM_MD") === true ? dirname(dotenv.file) : undefined
  const isNamedByUser = namedIn === undefined || (home !== undefined && namedIn === join(home, ".gemini"))
  if (isNamedByUser && !isInside(cwd, file)) return undefined
  const project = projectBorder(cwd, { home })
  return strayReason(file, home !== undefined && namedIn === home ? [project, home] : [project])
}

/** Missing folders are made. */
export const writeSystemFile = (
  file: string,
  text: string,
  { cwd }: Pick<EnvironmentView, "cwd">
): Effect.Effect<void, PromptError> =>
  lazy(() => import("../system/atomic-write.ts")).pipe(
    Effect.flatMap(({ writeFileAtomic }) =>
      writeFileAtomic({ file, content: `${text}\n`, ...(isInside(cwd, file) ? { border: cwd } : {}) })
    ),
    Effect.mapError(
      ({ code }) =>
        new PromptError({
          kind: "unwritable",
          file,
          variable: "GEMINI_WRITE_SYSTEM_MD",
          reason: `cannot be written (${code})`
        })
    )
  )
