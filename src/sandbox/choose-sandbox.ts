/**
 * Which sandbox a run is to have, from its flag, its variable and its settings. Pure: whether one of the candidates works
 * on this machine is found out by trying (`probe-backend.ts`).
 *
 * The flag alone means "on" and keeps a back end that the variable or a setting names. That a project can ask for a
 * sandbox and not take one away is the affair of the settings.
 */
import { Either } from "effect"
import type { SandboxSetting } from "../config/setting-table/tools.ts"
import { type DomainRule, parseDomainRule } from "./domain-rules.ts"
import { SandboxUnavailable } from "./sandbox-unavailable.ts"

const BACKENDS = [
  "bwrap",
  "landlock",
  "bwrap-process",
  "podman",
  "docker",
  "runsc",
  "lxc",
  "sandbox-exec",
  "windows-native"
] as const
export type BackendName = (typeof BACKENDS)[number]

/** A list: only these hosts, through a proxy of ours. */
export type NetworkWish = "off" | "on" | ReadonlyArray<DomainRule>

export interface SandboxWish {
  /** The first that works is taken. */
  readonly candidates: ReadonlyArray<BackendName>
  /** Who asked for it, for messages. */
  readonly requestedBy: string
  readonly network: NetworkWish
  /** Whether the network was forbidden in so many words, and not only not asked for. */
  readonly isNetworkForbidden: boolean
  /** Of a container. */
  readonly image: string | undefined
  /** As written: absolute, or with `~`. */
  readonly allowedPaths: ReadonlyArray<string>
}

export interface ChoiceInput {
  /** `--sandbox`, without and with a name. */
  readonly flag: boolean | string | undefined
  /** `GEMINI_SANDBOX` */
  readonly variable: string | undefined
  readonly setting: SandboxSetting | undefined
  /** `security.toolSandboxing` */
  readonly toolSandboxing: boolean
  /** `tools.sandboxAllowedPaths` */
  readonly allowedPaths: ReadonlyArray<string>
  /** `tools.sandboxNetworkAccess` */
  readonly networkAccess: boolean
  /** `tools.sandboxAllowedDomains` */
  readonly allowedDomains: ReadonlyArray<string>
  /** `SANDBOX` is set: this process is in one already. */
  readonly isInside: boolean
  readonly platform: NodeJS.Platform
}

/** `undefined`: none is asked for. */
export const chooseSandbox = (input: ChoiceInput): Either.Either<SandboxWish | undefined, SandboxUnavailable> => {
  if (input.isInside) return Either.right(undefined)
  const asked = askedFor(input)
  if (asked === undefined) return Either.right(undefined)
  return Either.map(Either.all([candidatesOf(asked, input.platform), networkOf(input)]), ([candidates, network]) => ({
    candidates,
    requestedBy: asked.by,
    network,
    isNetworkForbidden: network === "off" && objectOf(input.setting)?.networkAccess === false,
    image: objectOf(input.setting)?.image,
    allowedPaths: [...(objectOf(input.setting)?.allowedPaths ?? []), ...input.allowedPaths]
  }))
}

const networkOf = (input: ChoiceInput): Either.Either<NetworkWish, SandboxUnavailable> => {
  const rules = input.allowedDomains.map(parseDomainRule)
  const wrong = input.allowedDomains.filter((_, index) => rules[index] === undefined)
  if (wrong.length > 0) {
    return Either.left(
      new SandboxUnavailable({
        requestedBy: "the setting tools.sandboxAllowedDomains",
        reasons: [`${wrong.map((text) => JSON.stringify(text)).join(", ")} cannot be read as a domain`],
        advice:
          "Write example.com, *.example.com or example.com:8443. For the whole network set tools.sandboxNetworkAccess to true."
      })
    )
  }
  if (input.networkAccess || objectOf(input.setting)?.networkAccess === true) return Either.right("on")
  const known = rules.filter((rule) => rule !== undefined)
  return Either.right(known.length === 0 ? "off" : known)
}

interface Asked {
  readonly by: string
  /** Absent: any that works. */
  readonly name?: string
}

const askedFor = (input: ChoiceInput): Asked | undefined => {
  const { flag } = input
  const variable = wordOf(input.variable)
  if (typeof flag === "string") {
    const word = wordOf(flag)
    return word === "on"
      ? onWith("--sandbox", input)
      : word === "off"
        ? undefined
        : { by: "--sandbox", name: flag.trim() }
  }
  if (flag === true) return onWith("--sandbox", input)
  if (variable === "off") return undefined
  if (variable === "on") return onWith("GEMINI_SANDBOX", input)
  if (variable !== undefined) return { by: "GEMINI_SANDBOX", name: variable }
  if (flag === false) return undefined
  return (
    fromSetting(input.setting) ?? (input.toolSandboxing ? { by: "the setting security.toolSandboxing" } : undefined)
  )
}

/** Switched on without a name: one that is written elsewhere still counts. */
const onWith = (by: string, { setting, variable }: ChoiceInput): Asked => {
  const word = wordOf(variable)
  const named = word === "on" || word === "off" ? undefined : word
  const name = named ?? nameIn(setting)
  return name === undefined ? { by } : { by, name }
}

const fromSetting = (setting: SandboxSetting | undefined): Asked | undefined => {
  if (setting === undefined || setting === false) return undefined
  if (objectOf(setting) !== undefined && objectOf(setting)?.enabled !== true) return undefined
  const name = nameIn(setting)
  return { by: "the setting tools.sandbox", ...(name === undefined ? {} : { name }) }
}

const nameIn = (setting: SandboxSetting | undefined): string | undefined =>
  typeof setting === "string" ? setting : objectOf(setting)?.command

const objectOf = (setting: SandboxSetting | undefined) => (typeof setting === "object" ? setting : undefined)

const wordOf = (text: string | undefined): string | "on" | "off" | undefined => {
  const word = text?.trim() ?? ""
  if (word === "") return undefined
  if (/^(true|1)$/i.test(word)) return "on"
  return /^(false|0)$/i.test(word) ? "off" : word
}

const ONLY_ON: Readonly<Partial<Record<BackendName, NodeJS.Platform>>> = {
  bwrap: "linux",
  landlock: "linux",
  "bwrap-process": "linux",
  runsc: "linux",
  lxc: "linux",
  "sandbox-exec": "darwin",
  "windows-native": "win32"
}

const candidatesOf = (
  { by, name }: Asked,
  platform: NodeJS.Platform
): Either.Either<ReadonlyArray<BackendName>, SandboxUnavailable> => {
  if (name === undefined) return Either.right(automatic(platform))
  const known = BACKENDS.find((backend) => backend === name.toLowerCase())
  if (known === undefined) {
    return Either.left(
      new SandboxUnavailable({
        requestedBy: by,
        reasons: [`there is no sandbox named "${name}"`],
        advice: `Choose one of: ${BACKENDS.join(", ")}; or true, for the best that works.`
      })
    )
  }
  const home = ONLY_ON[known] ?? platform
  return home === platform
    ? Either.right([known])
    : Either.left(
        new SandboxUnavailable({
          requestedBy: by,
          reasons: [`${known} does not exist on ${platform}`],
          advice: `Here one of these may be had: ${automatic(platform).join(", ")}.`
        })
      )
}

/** What keeps the model's connection and takes it from commands comes first. */
const automatic = (platform: NodeJS.Platform): ReadonlyArray<BackendName> => {
  if (platform === "linux") return ["bwrap", "landlock", "podman", "docker"]
  return platform === "darwin" ? ["sandbox-exec", "docker", "podman"] : ["docker", "podman"]
}
