/** The system calls that a confined command may not make, as a filter for the kernel. */
import { type CallNumbers, callNumbersOf } from "./call-numbers.ts"

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

/**
 * A seccomp filter as the kernel takes it: classic BPF, eight bytes an instruction. Each rule below is a block that ends
 * in an answer, so that no jump is longer than its block and rules can be put in any order.
 * What a rule answers. An errno is what the program sees; a kill ends it at once.
 */
const ALLOW = 0x7fff0000

const KILL = 0x80000000

const errnoAnswer = (errno: number): number => 0x00050000 | errno

/** Places in the kernel's `seccomp_data`. Of an argument its low half, which is all that the calls below look at. */
const CALL_NUMBER = 0

const ARCHITECTURE = 4

const argument = (index: number): number => 16 + 8 * index

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]

const answer = (value: number): Instruction => [0x06, 0, 0, value]

const skipUnlessEqual = (value: number, skip: number): Instruction => [0x15, 0, skip, value]

const skipUnlessAtLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value]

const skipUnlessAnyBit = (mask: number, skip: number): Instruction => [0x45, 0, skip, mask]

type FilterRule = ReadonlyArray<Instruction>

const onlyArchitecture = (audit: number): FilterRule => [
  load(ARCHITECTURE),
  [0x15, 1, 0, audit],
  answer(KILL),
  load(CALL_NUMBER)
]

/** Every call with this number or a higher one. */
const refuseFrom = (first: number, reply: number): FilterRule => [skipUnlessAtLeast(first, 1), answer(reply)]

const refuse = (call: number, reply: number): FilterRule => [skipUnlessEqual(call, 1), answer(reply)]

/** The call is refused where its argument has one of these bits, and allowed otherwise. */
const refuseBits = (call: number, index: number, mask: number, reply: number): FilterRule =>
  blockFor(call, [load(argument(index)), skipUnlessAnyBit(mask, 1), answer(reply), answer(ALLOW)])

/** The same, where another argument has one of those bits; without them this one means nothing. */
const refuseBitsWhere = (
  call: number,
  where: readonly [index: number, mask: number],
  what: readonly [index: number, mask: number],
  reply: number
): FilterRule =>
  blockFor(call, [
    load(argument(where[0])),
    skipUnlessAnyBit(where[1], 3),
    load(argument(what[0])),
    skipUnlessAnyBit(what[1], 1),
    answer(reply),
    answer(ALLOW)
  ])

/** The call is refused with these values of its argument, and allowed otherwise. */
const refuseValues = (call: number, index: number, values: ReadonlyArray<number>, reply: number): FilterRule =>
  blockFor(call, [
    load(argument(index)),
    ...values.flatMap((value) => [skipUnlessEqual(value, 1), answer(reply)]),
    answer(ALLOW)
  ])

/** The call is allowed with these values of its argument only. */
const allowValues = (call: number, index: number, values: ReadonlyArray<number>, reply: number): FilterRule =>
  blockFor(call, [
    load(argument(index)),
    ...values.flatMap((value) => [skipUnlessEqual(value, 1), answer(ALLOW)]),
    answer(reply)
  ])

const blockFor = (call: number, body: FilterRule): FilterRule => [skipUnlessEqual(call, body.length), ...body]

/** What no rule answers is allowed. Little-endian, as all machines that we run on. */
const assemble = (rules: ReadonlyArray<FilterRule>): Uint8Array<ArrayBuffer> => {
  const instructions = [...rules.flat(), answer(ALLOW)]
  const bytes = new Uint8Array(instructions.length * 8)
  const view = new DataView(bytes.buffer)
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    const at = index * 8
    view.setUint16(at, code, true)
    view.setUint8(at + 2, ifTrue)
    view.setUint8(at + 3, ifFalse)
    view.setUint32(at + 4, value >>> 0, true)
  })
  return bytes
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

const rulesOf = (calls: CallNumbers, wish: FilterWish): ReadonlyArray<FilterRule> => [
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
