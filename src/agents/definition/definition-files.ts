/** Where definitions of agents are. Apart from what reads them, since every start looks whether there are any. */
import { readdirSync } from "node:fs"
import type { AgentOrigin } from "../agent.ts"

export interface AgentFolder {
  readonly folder: string
  readonly origin: Exclude<AgentOrigin, "built-in">
  readonly extension?: string | undefined
  /** Its files lie in here, links followed; absent for those of the user. */
  readonly border?: string | undefined
  /** Of an extension: fills in its variables before the file is read. */
  readonly fillIn?: ((text: string) => string) | undefined
}

/** Names of definition files; a folder that is not there has none. Nothing else is read. */
export const definitionFiles = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md") && !name.startsWith("_"))
      .sort()
  } catch {
    return []
  }
}
