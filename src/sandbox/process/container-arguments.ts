/**
 * The arguments with which an engine (podman, docker) starts this program in a container. Pure. Nothing secret is among
 * them: variables come in by a file.
 */
import type { Hop, Mount } from "./process-backend.ts"

export interface ContainerSetting {
  readonly hop: Hop
  readonly engine: "podman" | "docker"
  /** docker's other runtime. */
  readonly isGvisor: boolean
  readonly name: string
  readonly image: string
  /** From `SANDBOX_FLAGS`. */
  readonly flags: ReadonlyArray<string>
  readonly mounts: ReadonlyArray<Mount>
  readonly ports: ReadonlyArray<number>
  /** `uid:gid`; absent: whoever the image says. */
  readonly user: string | undefined
  /** The engine runs without rights and maps users itself. */
  readonly isRootless: boolean
  /** Of the engine; absent: its own. */
  readonly network: string | undefined
  /** An empty one: no credentials of registries are needed to run. */
  readonly authFile: string
  readonly command: ReadonlyArray<string>
}

/** More processes than that are a fork bomb. */
const MOST_PROCESSES = 4096

export const containerArguments = (setting: ContainerSetting): ReadonlyArray<string> => {
  const { engine, hop, name, network } = setting
  return [
    "run",
    "-i",
    ...(hop.takesTerminal ? ["-t"] : []),
    "--rm",
    "--init",
    ...setting.flags,
    ...(setting.isGvisor ? ["--runtime=runsc"] : []),
    ...(engine === "podman" ? ["--authfile", setting.authFile] : []),
    "--pull=never",
    "--workdir",
    hop.cwd,
    "--name",
    name,
    "--hostname",
    name.slice(-LONGEST_HOST_NAME),
    ...(lacksHost(setting) ? ["--add-host", "host.docker.internal:host-gateway"] : []),
    ...(network === undefined ? [] : ["--network", network]),
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    `--pids-limit=${MOST_PROCESSES}`,
    ...(setting.user === undefined ? [] : ["--user", setting.user]),
    ...(engine === "podman" && setting.isRootless && setting.user !== undefined ? ["--userns=keep-id"] : []),
    ...setting.ports.flatMap((port) => ["--publish", `${port}:${port}`]),
    ...[...setting.mounts].toSorted(byDepth).flatMap((mount) => ["--mount", mountText(mount)]),
    "--entrypoint",
    "",
    setting.image,
    ...setting.command
  ]
}

/** podman gives the machine a name by itself; where there is no network of the engine's, there is no such address. */
const lacksHost = ({ engine, flags, network }: ContainerSetting): boolean =>
  engine === "docker" && network !== "none" && !flags.join(" ").match(/--net(?:work)?[= ](?:host|none)\b/)

const LONGEST_HOST_NAME = 63

/** What lies in another one comes after it. */
const byDepth = (one: Mount, other: Mount): number => one.to.split("/").length - other.to.split("/").length

/** A row of values, quoted as in tables: a path may hold a comma. */
const mountText = ({ from, mode, to }: Mount): string =>
  ["type=bind", `source=${from}`, `target=${to}`, ...(mode === "ro" ? ["readonly"] : [])].map(cell).join(",")

const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const IMAGE = /^[A-Za-z0-9][A-Za-z0-9_.:/@-]*$/

/** What an option could be taken for is no image. */
export const isImageName = (name: string): boolean => IMAGE.test(name)

/** `<image>-<12 hex>`, as far as engines take it. */
export const containerName = (image: string, number: string): string =>
  `${(image.split("/").at(-1) ?? "").replace(/[:@].*$/, "").replace(/[^A-Za-z0-9_.-]/g, "-") || "gemini"}-${number}`
