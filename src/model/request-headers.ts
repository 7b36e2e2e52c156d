/**
 * Headers that go with every model request: who we are, what the user adds, how Vertex AI shall route.
 * No identifier of the user or the installation is among them.
 */

type Variables = Readonly<Record<string, string | undefined>>

export interface ClientIdentity {
  readonly version: string
  readonly platform: string
  readonly arch: string
  /** Release of the operating system. */
  readonly osVersion: string
  /** `acp`: an editor stands between the program and the person. */
  readonly surface?: "acp" | undefined
}

export interface VertexRouting {
  readonly requestType?: "dedicated" | "shared" | undefined
  readonly sharedRequestType?: "priority" | "flex" | undefined
}

/** Later names win: what the user adds may replace everything, the `User-Agent` included. */
export const requestHeaders = (options: {
  readonly model: string
  readonly identity: ClientIdentity
  readonly variables: Variables
  readonly vertexRouting?: VertexRouting | undefined
}): ReadonlyArray<readonly [name: string, value: string]> => [
  ["User-Agent", userAgent(options)],
  ...routingHeaders(options.vertexRouting ?? {}),
  ...parseCustomHeaders(options.variables.GEMINI_CLI_CUSTOM_HEADERS ?? "")
]

const userAgent = ({
  identity,
  model,
  variables
}: {
  readonly model: string
  readonly identity: ClientIdentity
  readonly variables: Variables
}): string => {
  const surface = surfaceOf(variables)
  if (identity.surface !== undefined) {
    const client = [identity.surface, editorOf(variables)].filter((word) => word !== undefined).join("-")
    return printable(
      `GeminiCLI-${client}/${identity.version}/${model} (${identity.platform}; ${identity.arch}; ${surface})`
    )
  }
  if (surface !== "vscode") {
    return printable(`GeminiCLI/${identity.version}/${model} (${identity.platform}; ${identity.arch}; ${surface})`)
  }
  const shell = variables.CLOUD_SHELL_VERSION === undefined ? "" : ` > CloudShell/${variables.CLOUD_SHELL_VERSION}`
  const facts = [
    "aidev_client",
    `os_type=${identity.platform}`,
    `os_version=${identity.osVersion}`,
    `arch=${identity.arch}`,
    `host_path=VSCode/${variables.TERM_PROGRAM_VERSION ?? "unknown"}${shell}`,
    "proxy_client=geminicli"
  ]
  return printable(`CloudCodeVSCode/${identity.version} (${facts.join("; ")})`)
}

/** A model may be called anything, a header may not. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?")

/** Where the program runs, as the first of these says. */
const surfaceOf = (variables: Variables): string => {
  const named = [variables.GEMINI_CLI_SURFACE, variables.SURFACE].find((value) => value !== undefined && value !== "")
  if (named !== undefined) return named
  if (variables.TERM_PROGRAM === "vscode" || (variables.VSCODE_PID ?? "") !== "") return "vscode"
  return (variables.GITHUB_SHA ?? "") !== "" ? "GitHub" : "terminal"
}

/** The editor that started us, as its variables tell. */
const editorOf = (variables: Variables): string | undefined => {
  if ((variables.ZED_SESSION_ID ?? "") !== "" || variables.TERM_PROGRAM === "Zed") return "zed"
  if (/jetbrains/i.test(variables.TERMINAL_EMULATOR ?? "")) return "jetbrains"
  if ((variables.XCODE_VERSION_ACTUAL ?? "") !== "") return "xcode"
  const { TERM_PROGRAM } = variables
  return TERM_PROGRAM === "vscode" || TERM_PROGRAM === "sublime" ? TERM_PROGRAM : undefined
}

const routingHeaders = ({
  requestType,
  sharedRequestType
}: VertexRouting): ReadonlyArray<readonly [string, string]> => [
  ...(requestType === undefined ? [] : [["X-Vertex-AI-LLM-Request-Type", requestType] as const]),
  ...(sharedRequestType === undefined ? [] : [["X-Vertex-AI-LLM-Shared-Request-Type", sharedRequestType] as const])
]

/**
 * `Name: value, Name2: value2`. A comma separates only where another `name:` follows, so values may contain commas;
 * the first colon ends the name. Pieces that HTTP could not carry are dropped.
 */
export const parseCustomHeaders = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text.split(/,(?=\s*[^,:\s]+\s*:)/).flatMap((piece) => {
    const colon = piece.indexOf(":")
    const name = piece.slice(0, Math.max(0, colon)).trim()
    const value = piece.slice(colon + 1).trim()
    return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
      ? [[name, value] as const]
      : []
  })
