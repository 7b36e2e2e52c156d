/** The system calls that a confined command may not make, as a filter for the kernel. */
import { type CallNumbers, callNumbersOf } from "./call-numbers.ts"
import {
  allowValues,
  assemble,
  errnoAnswer,
  onlyArchitecture,
  type Rule,
  refuse,
  refuseBits,
  refuseBitsWhere,
  refuseFrom,
  refuseValues
} from "./filter-program.ts"

export interface FilterWish {
  /** `process.arch` */
  readonly architecture: string
  /** Addresses of the internet. Off where the back end has no network of its own to close. */
  readonly internet: boolean
  /** Sockets that are files or names of this machine: through them others act for a command. */
  readonly unixSockets: boolean
  /** Modes, owners and times of files. */
  readonly fileModes: boolean
  /** Processes of others and what they share are there, because the back end cannot keep them away. */
  readonly isAmongOthers: boolean
}

/** `undefined`: there is none for this machine. */
export const commandFilter = (wish: FilterWish): Uint8Array<ArrayBuffer> | undefined => {
  const calls = callNumbersOf(wish.architecture)
  return calls === undefined ? undefined : assemble(rulesOf(calls, wish))
}

const EPERM = errnoAnswer(1)
/** A library that hears this takes the older call, whose flags can be seen. */
const ENOSYS = errnoAnswer(38)
const EAFNOSUPPORT = errnoAnswer(97)

/** Calls of the older, 32-bit sort that an x64 kernel may still take. */
const X32_BIT = 0x40000000

/** Both type into a terminal as if a person did. */
const TYPING = [0x5412, 0x541c]

/** Any of the namespaces: mount, cgroup, host name, messages, users, processes, network. */
const NEW_NAMESPACES = 0x7e020000

/** Whoever runs such a file has the rights of its owner: others on the machine those of the person. */
const RUNS_AS_OWNER = 0o4000
/** `O_CREAT`, `O_TMPFILE` */
const MAKES_FILE = 0o100 | 0o20000000
const OWN = 0

const UNIX = 1
const INTERNET = [2, 10]
/** Tells programs which interfaces there are; it cannot leave the machine. */
const NETLINK = 16

const rulesOf = (calls: CallNumbers, wish: FilterWish): ReadonlyArray<Rule> => [
  onlyArchitecture(calls.audit),
  ...(wish.architecture === "x64" ? [refuseFrom(X32_BIT, EPERM)] : []),
  ...calls.refused.map((call) => refuse(call, EPERM)),
  ...(wish.fileModes ? [] : calls.fileModes.map((call) => refuse(call, EPERM))),
  ...(wish.isAmongOthers
    ? [...calls.betweenProcesses.map((call) => refuse(call, EPERM)), allowValues(calls.prlimit, 0, [OWN], EPERM)]
    : []),
  ...calls.modes.map(([call, index]) => refuseBits(call, index, RUNS_AS_OWNER, EPERM)),
  ...calls.opens.map(([call, flags, mode]) => refuseBitsWhere(call, [flags, MAKES_FILE], [mode, RUNS_AS_OWNER], EPERM)),
  refuse(calls.openat2, ENOSYS),
  refuse(calls.clone3, ENOSYS),
  refuseBits(calls.clone, 0, NEW_NAMESPACES, EPERM),
  refuseValues(calls.ioctl, 1, TYPING, EPERM),
  // Others, such as those to the host of a virtual machine, pass by every namespace.
  allowValues(
    calls.socket,
    0,
    [NETLINK, ...(wish.unixSockets ? [UNIX] : []), ...(wish.internet ? INTERNET : [])],
    EAFNOSUPPORT
  )
]
