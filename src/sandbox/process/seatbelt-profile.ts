/**
 * Profiles of macOS's own sandbox, as text. Pure. Each denies everything first. Three say how much can be read and which
 * services of the system are there, times three (`strict` has two) for the network.
 *
 * Paths are parameters (`-D NAME=path`), so that no path is ever part of a program.
 */

const READS = ["permissive", "restrictive", "strict"] as const
const NETWORKS = ["open", "closed", "proxied"] as const

export type SeatbeltReads = (typeof READS)[number]
export type SeatbeltNetwork = (typeof NETWORKS)[number]

export interface SeatbeltName {
  readonly reads: SeatbeltReads
  readonly network: SeatbeltNetwork
}

export const SEATBELT_PROFILES: ReadonlyArray<string> = [
  "permissive-open",
  "permissive-closed",
  "permissive-proxied",
  "restrictive-open",
  "restrictive-closed",
  "restrictive-proxied",
  "strict-open",
  "strict-proxied"
]

/** `undefined`: it is the name of somebody's own. */
export const seatbeltNamed = (name: string): SeatbeltName | undefined => {
  if (!SEATBELT_PROFILES.includes(name)) return undefined
  const reads = READS.find((word) => name.startsWith(`${word}-`))
  const network = NETWORKS.find((word) => name.endsWith(`-${word}`))
  return reads === undefined || network === undefined ? undefined : { reads, network }
}

export const MOST_INCLUDED = 5

/** Below `~/.gemini`: what runs outside would obey. */
const OBEYED = ["settings.json", "trustedFolders.json", "trusted_hooks.json", "GEMINI.md", ".env"]
const OBEYED_FOLDERS = ["policies", "commands", "skills", "agents", "extensions", "hooks"]

export const seatbeltProfile = ({ network, reads }: SeatbeltName): string =>
  [
    "(version 1)",
    "(deny default)",
    "",
    "; programs, and what they ask of each other",
    "(allow process-exec process-fork)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow pseudo-tty)",
    '(allow file-ioctl (regex #"^/dev/tty"))',
    "(allow ipc-posix-sem ipc-posix-shm-read* ipc-posix-shm-write*)",
    ...services(reads),
    "",
    "; reading",
    ...reading(reads),
    "",
    "; writing",
    "(allow file-write*",
    ...WRITABLE.map((rule) => `  ${rule}`),
    ...included(),
    ")",
    "(allow file-write*",
    ...devices(reads).map((device) => `  (literal "${device}")`),
    ")",
    "",
    "; what later runs outside obey stays as it is",
    "(deny file-write*",
    ...OBEYED.map((name) => `  (literal (string-append (param "HOME_DIR") "/.gemini/${name}"))`),
    ...OBEYED_FOLDERS.map((name) => `  (subpath (string-append (param "HOME_DIR") "/.gemini/${name}"))`),
    `  (subpath (string-append (param "TARGET_DIR") "/.gemini"))`,
    `  (subpath (string-append (param "TARGET_DIR") "/.git/hooks"))`,
    `  (literal (string-append (param "TARGET_DIR") "/.git/config"))`,
    ")",
    "",
    "; network",
    ...networkRules(network, reads),
    "",
    "; engines that start programs outside",
    "(deny file-read* file-write* network-outbound",
    ...ENGINE_SOCKETS.map((rule) => `  ${rule}`),
    ")",
    "(deny process-exec",
    ...ENGINES.map((name) => `  (regex #"/${name}$")`),
    ")",
    ""
  ].join("\n")

const WRITABLE = [
  '(subpath (param "TARGET_DIR"))',
  '(subpath (param "TMP_DIR"))',
  '(subpath (param "CACHE_DIR"))',
  '(subpath (string-append (param "HOME_DIR") "/.gemini"))',
  '(subpath (string-append (param "HOME_DIR") "/.npm"))',
  '(subpath (string-append (param "HOME_DIR") "/.cache"))'
]

const included = (): ReadonlyArray<string> =>
  Array.from({ length: MOST_INCLUDED }, (_, index) => `  (subpath (param "INCLUDE_DIR_${index}"))`)

const READABLE_BELOW_HOME = [".gemini", ".npm", ".cache", ".gitconfig", ".nvm", ".fnm", ".node", ".config"]

const SYSTEM = [
  "/bin",
  "/sbin",
  "/usr",
  "/opt",
  "/System",
  "/Library",
  "/dev",
  "/private/etc",
  "/private/var/db/timezone"
]

const reading = (reads: SeatbeltReads): ReadonlyArray<string> =>
  reads === "strict"
    ? [
        "(allow file-read-metadata)",
        '(allow file-read* (literal "/"))',
        "(allow file-read*",
        ...SYSTEM.map((path) => `  (subpath "${path}")`),
        '  (subpath (param "TARGET_DIR"))',
        '  (subpath (param "TMP_DIR"))',
        '  (subpath (param "CACHE_DIR"))',
        ...READABLE_BELOW_HOME.map((name) => `  (subpath (string-append (param "HOME_DIR") "/${name}"))`),
        ...included(),
        ")",
        '(allow file-read* (literal (param "SELF")))'
      ]
    : ["(allow file-read*)"]

const services = (reads: SeatbeltReads): ReadonlyArray<string> =>
  reads === "permissive"
    ? ["(allow mach-lookup)", "(allow iokit-open)", "(allow user-preference-read)"]
    : [
        "(allow mach-lookup",
        '  (global-name "com.apple.sysmond")',
        '  (global-name "com.apple.SystemConfiguration.configd")',
        '  (global-name "com.apple.SystemConfiguration.DNSConfiguration")',
        '  (global-name "com.apple.system.opendirectoryd.libinfo")',
        '  (global-name "com.apple.trustd.agent")',
        ")"
      ]

const DEVICES = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty", "/dev/ptmx"]

const devices = (reads: SeatbeltReads): ReadonlyArray<string> =>
  reads === "permissive" ? [...DEVICES, "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"] : DEVICES

const networkRules = (network: SeatbeltNetwork, reads: SeatbeltReads): ReadonlyArray<string> => {
  const names = '(allow network-outbound (literal "/private/var/run/mDNSResponder"))'
  const inbound =
    reads === "permissive" ? "(allow network-inbound)" : '(allow network-inbound (local ip "localhost:9229"))'
  switch (network) {
    case "open":
      return [inbound, "(allow network-bind)", "(allow network-outbound)"]
    case "proxied":
      return [
        '(allow network-inbound (local ip "localhost:9229"))',
        '(allow network-outbound (remote tcp "localhost:8877"))',
        names
      ]
    case "closed":
      return ["(deny network*)"]
  }
}

const ENGINE_SOCKETS = [
  '(literal "/var/run/docker.sock")',
  '(literal "/private/var/run/docker.sock")',
  '(subpath (string-append (param "HOME_DIR") "/.docker"))',
  '(subpath (string-append (param "HOME_DIR") "/.colima"))',
  '(subpath (string-append (param "HOME_DIR") "/.orbstack"))',
  '(subpath (string-append (param "HOME_DIR") "/.rd"))',
  '(subpath (string-append (param "HOME_DIR") "/.local/share/containers/podman"))',
  '(regex #"podman[^/]*\\.sock$")'
]

const ENGINES = ["docker", "podman", "colima", "limactl", "nerdctl", "orbctl", "rdctl"]
