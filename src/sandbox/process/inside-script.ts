/**
 * How the program comes to its variables inside, and how it is seen outside that it began. Secrets travel in a file that is
 * read once and then gone: neither a list of processes, nor the first process of a container, nor the engine's own
 * records hold them. Pure.
 */
import { join } from "node:path"
import { BRIDGE_PORT } from "../../system/http/command-bridge.ts"
import { BRIDGE_WORD, HANDS_ON } from "../bwrap-arguments.ts"

/** Below the folder for temporary files, inside as well as outside. */
const FOLDER = ".gemini-session"

export const sessionFolder = (temp: string): string => join(temp, FOLDER)

/** Takes its folder, then the command that it becomes. */
const ENTRY = [
  "d=$1; shift",
  '. "$d/variables" || exit 44',
  'rm -f "$d/variables" || exit 44',
  ': >"$d/began"',
  'if [ -f "$d/setup" ]; then . "$d/setup"; fi',
  // Nobody holds the other end any more: whoever started this is gone, without having been able to say so.
  'if [ -p "$d/alive" ]; then (read -r _ <"$d/alive"; kill -HUP $$) </dev/null >/dev/null 2>&1 & fi',
  'exec "$@"'
].join("\n")

export interface InsideCommand {
  /** As it is seen inside. */
  readonly temp: string
  readonly shell: string
  readonly self: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  /** Its connections go through our proxy. */
  readonly isBridged: boolean
}

export const insideCommand = ({ args, isBridged, self, shell, temp }: InsideCommand): ReadonlyArray<string> => {
  const folder = sessionFolder(temp)
  const bridge = isBridged ? [...self, BRIDGE_WORD, join(folder, "network"), HANDS_ON] : []
  return [shell, "-c", ENTRY, "gemini", folder, ...bridge, ...self, ...args]
}

/** A file of assignments for a shell. A name that no shell can take is left out. */
export const variablesScript = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .filter(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && !value.includes("\0"))
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join("")

export interface Setup {
  readonly cwd: string
  /** `PATH` and `PYTHONPATH` out here: what lies in the workspace is there inside as well. */
  readonly path: string
  readonly pythonPath: string
  readonly ports: ReadonlyArray<number>
  /** Of the project. */
  readonly startFile: string | undefined
}

/** What a shell does before the program: paths of the workspace, a file of the project, forwarded ports. */
export const setupScript = ({ cwd, path, ports, pythonPath, startFile }: Setup): string =>
  [
    ...inWorkspace(path, cwd).map((folder) => `PATH="$PATH":${quoted(folder)}; export PATH`),
    ...inWorkspace(pythonPath, cwd).map(
      (folder) => `PYTHONPATH="\${PYTHONPATH:+$PYTHONPATH:}"${quoted(folder)}; export PYTHONPATH`
    ),
    ...(startFile === undefined ? [] : [`. ${quoted(startFile)}`]),
    // What listens on the container's own localhost is not reached by a published port.
    ...ports.map(
      (port) =>
        `socat TCP4-LISTEN:${port},bind=$(hostname -i | cut -d' ' -f1),fork,reuseaddr TCP4:127.0.0.1:${port} >/dev/null 2>&1 </dev/null &`
    ),
    ""
  ].join("\n")

const inWorkspace = (list: string, cwd: string): ReadonlyArray<string> =>
  list.split(":").filter((folder) => folder.startsWith(`${cwd}/`))

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The way out through our proxy. Nothing is reached without it. */
export const bridgeVariables = (): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, `http://127.0.0.1:${BRIDGE_PORT}`])
  ),
  ALL_PROXY: `socks5h://127.0.0.1:${BRIDGE_PORT}`,
  all_proxy: `socks5h://127.0.0.1:${BRIDGE_PORT}`,
  NO_PROXY: "",
  no_proxy: "",
  NODE_USE_ENV_PROXY: "1"
})
