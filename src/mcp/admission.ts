/**
 * Which configured servers may start. Names are compared trimmed and without regard to case; the first reason counts:
 * an administrator, the allow list, the exclude list, the person's agreement to what a project brings, then whether the user turned the server off for this session or for good.
 */
export interface AdmissionRules {
  /** Names as they are configured. */
  readonly blockedByAdmin: ReadonlySet<string>
  /** Of the project, and not confirmed in their present form. */
  readonly unconfirmed: ReadonlySet<string>
  /** `--allowed-mcp-server-names`. Given, it stands for both lists of the settings. */
  readonly named: ReadonlyArray<string> | undefined
  /** `mcp.allowed`; absent: every server. */
  readonly allowed: ReadonlyArray<string> | undefined
  /** `mcp.excluded`; `*` is every server. */
  readonly excluded: ReadonlyArray<string>
  readonly offInSession: ReadonlySet<string>
  /** From the file of `gemini mcp disable`. */
  readonly offInFile: ReadonlySet<string>
}

export type Admission =
  | { readonly status: "admitted" }
  | { readonly status: "blocked" | "disabled"; readonly because: string }

export const admit = (name: string, rules: AdmissionRules): Admission => {
  if (rules.blockedByAdmin.has(name)) return { status: "blocked", because: "your administrator does not allow it" }
  const allowed = rules.named ?? rules.allowed
  const excluded = rules.named === undefined ? rules.excluded : []
  if (allowed !== undefined && !includes(allowed, name)) {
    const list = rules.named === undefined ? "mcp.allowed" : "--allowed-mcp-server-names"
    return { status: "blocked", because: `${list} does not name it` }
  }
  if (includes(excluded, name) || excluded.includes("*")) return { status: "blocked", because: "mcp.excluded names it" }
  if (rules.unconfirmed.has(name)) return { status: "blocked", because: UNCONFIRMED }
  if (rules.offInSession.has(serverId(name))) return { status: "disabled", because: "it is off for this session" }
  return rules.offInFile.has(serverId(name))
    ? { status: "disabled", because: `it was turned off; "gemini mcp enable ${name}" turns it on` }
    : { status: "admitted" }
}

const UNCONFIRMED =
  "this project brings it, and you have not confirmed it as it is now: start gemini here to be asked, or add --skip-trust"

/** How a server is named where names are compared. */
export const serverId = (name: string): string => name.trim().toLowerCase()

/** Older lists write servers of extensions as `ext:<extension>:<name>`. */
const includes = (list: ReadonlyArray<string>, name: string): boolean =>
  list.some((entry) => serverId(entry.replace(/^\s*ext:[^:]*:/i, "")) === serverId(name))
