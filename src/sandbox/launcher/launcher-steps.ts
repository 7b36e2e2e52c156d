/**
 * What a launcher (`launcher-program.ts`) does before it becomes the command: hides, settles, restricts itself, gives up
 * rights. A step that is needed and fails ends it with 44, so that a command never runs less confined than planned.
 */
import { ExitCode } from "../../protocol/exit-code.ts"
import { FILE_RIGHTS, type LandlockRule } from "../landlock-rules.ts"
import { SWAPPED } from "../mount-table.ts"
import {
  becoming,
  CALLS,
  CLOSE_RANGE,
  control,
  FIRST_FREE,
  HERE,
  type LauncherCalls,
  MOUNT_SETATTR,
  ONLY_READ,
  type OnlyWritable,
  onlyWritable,
  opening,
  refused,
  standardDescriptors
} from "./launcher-parts.ts"
import { type Block, FIND, type LauncherStep, launcherProgram, textBlock } from "./launcher-program.ts"

/** After this word our own program goes through the steps, where a launcher cannot be started (`confine-self.ts`). */
export const CONFINE_WORD = "__confine"

export interface LauncherPlan {
  /** `process.arch` */
  readonly architecture: string
  /** The first of these that can be run, with the arguments that the launcher is given. */
  readonly candidates: ReadonlyArray<string>
  /** Files that the closed one is put over, inside a namespace of one's own. */
  readonly hide: ReadonlyArray<string>
  /** An empty file. */
  readonly closedFile: string
  /** Devices whose permissions nobody inside may change. */
  readonly settledDevices: ReadonlyArray<string>
  /** Nothing else can be changed, whoever owns it. Takes the right to mount. */
  readonly onlyWritable?: OnlyWritable | undefined
  readonly landlock: LandlockPlan | undefined
  /** Of system calls. Absent: it is there already, and so is everything that keeps rights away. */
  readonly filter: Uint8Array | undefined
  /** Texts that must be in the table of mounts: where one is missing, nothing runs. */
  readonly mounts: ReadonlyArray<string>
  /** Bytes. */
  readonly longestTable: number
  /** A keeper is in front of it. */
  readonly diesWithParent: boolean
  /** Whose the command is: only root has rights that it does not give up by itself. */
  readonly isRoot: boolean
}

export interface LandlockPlan {
  readonly version: number
  readonly handled: number
  /** Bits: binding and connecting of TCP. */
  readonly handledNetwork: number
  /** Bits: abstract sockets and signals. */
  readonly scoped: number
  readonly rules: ReadonlyArray<LandlockRule>
}

/** `undefined`: it cannot be made for this machine. */
export const launcherFor = (plan: LauncherPlan): Uint8Array<ArrayBuffer> | undefined => {
  const calls = CALLS[plan.architecture]
  return calls === undefined ? undefined : launcherProgram(stepsOf(plan, calls), plan.architecture)
}

const stepsOf = (plan: LauncherPlan, calls: LauncherCalls): ReadonlyArray<LauncherStep> => [
  ...onlyStandardDescriptors(plan, calls),
  ...(plan.diesWithParent ? withKeeper(calls) : []),
  ...(plan.mounts.length === 0 ? [] : compared(plan, calls)),
  ...hidden(plan, calls),
  ...plan.settledDevices.flatMap((device) => settled(textBlock(device), calls)),
  ...(plan.onlyWritable === undefined ? [] : onlyWritable(plan.onlyWritable, calls)),
  ...(plan.filter === undefined ? [] : restricted(plan, plan.filter, calls)),
  ...becoming(plan.candidates, calls)
]

const restricted = (plan: LauncherPlan, filter: Uint8Array, calls: LauncherCalls): ReadonlyArray<LauncherStep> => [
  control(calls, "that no new rights are had", PR_SET_NO_NEW_PRIVS, 1),
  ...(plan.landlock === undefined ? [] : landlocked(plan.landlock, calls)),
  ...withoutCapabilities(plan, calls),
  control(calls, "a filter of system calls", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filterBlock(filter))
]

const [PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP] = [1, 22, 24]
const [PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT] = [38, 47]
const [SIGINT, SIGQUIT, SIGKILL] = [2, 3, 9]
const [SECCOMP_MODE_FILTER, CLEAR_ALL] = [2, 4]

const withKeeper = (calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const asUsual: Block = { bytes: new Uint8Array(32) }
  return [
    control(calls, "to end with the parent", PR_SET_PDEATHSIG, SIGKILL),
    // A shell has what it starts aside ignore these.
    ...[SIGINT, SIGQUIT].map((signal): LauncherStep => ({ call: calls.rt_sigaction, args: [signal, asUsual, 0, 8] }))
  ]
}

/** From here on the first that is opened has the number 3: later steps name it. Linux before 5.9 closes nothing. */
const onlyStandardDescriptors = (
  { hide, landlock, mounts }: LauncherPlan,
  calls: LauncherCalls
): ReadonlyArray<LauncherStep> => {
  const isNamed = hide.length > 0 || landlock !== undefined || mounts.length > 0
  return [
    {
      call: CLOSE_RANGE,
      args: [FIRST_FREE, 0xffffffff, 0],
      ...(isNamed ? { fatal: refused("to close what was open") } : {})
    },
    ...standardDescriptors(calls)
  ]
}

const BIND = 4096

const hidden = ({ closedFile, hide }: LauncherPlan, calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const fatal = refused("to hide a file")
  const [source, target] = [textBlock(closedFile), textBlock(`/proc/self/fd/${FIRST_FREE}`)]
  return hide.flatMap((path) => [
    { ...opening(path), fatal },
    { call: calls.mount, args: [source, target, 0, BIND, 0], fatal },
    { call: calls.close, args: [FIRST_FREE] }
  ])
}

/** A device on a mount of its own: it is read and written as before, its permissions and owner stay. */
const settled = (device: Block, calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const READ_ONLY = 1
  // Before Linux 5.12. The other flags are those that bubblewrap gave it.
  const [NO_SUID, REMOUNT] = [2, 32]
  return [
    { call: MOUNT_SETATTR, args: [HERE, device, 0, ONLY_READ, 32], skip: { onSuccess: 1 } },
    {
      call: calls.mount,
      args: [0, device, 0, READ_ONLY | NO_SUID | REMOUNT | BIND, 0],
      fatal: refused("to settle a device")
    }
  ]
}

/** As much as the kernel gives of the table at once. */
const READ_AT_ONCE = 4096

/** A read that ends within a line is followed by the rest of it; any other may leave zeros behind its last line. */
const compared = ({ longestTable, mounts }: LauncherPlan, calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const parts = Math.ceil(longestTable / READ_AT_ONCE)
  const table: Block = { bytes: new Uint8Array(parts * READ_AT_ONCE) }
  const placeOf = (part: number) => ({ within: table, offset: part * READ_AT_ONCE })
  const fatal = refused("to tell what is mounted")
  return [
    { call: calls.openat, args: [HERE, textBlock("/proc/self/mountinfo"), 0, 0], fatal },
    ...Array.from(
      { length: parts },
      (_, part): LauncherStep => ({ call: calls.read, args: [FIRST_FREE, placeOf(part), READ_AT_ONCE], fatal })
    ),
    { call: calls.close, args: [FIRST_FREE] },
    ...mounts.map((text): LauncherStep => {
      const wanted: Block = { bytes: Buffer.from(` ${text} `) }
      return {
        call: FIND,
        args: [table, placeOf(parts), wanted, wanted.bytes.length],
        fatal: [SWAPPED, ExitCode.sandbox]
      }
    })
  ]
}

const landlocked = (plan: LandlockPlan, calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const [ruleset, opened] = [FIRST_FREE, FIRST_FREE + 1]
  const attributes = [plan.handled, plan.handledNetwork, plan.scoped].map(BigInt)
  // Older kernels know fewer fields.
  const size = plan.version >= 6 ? 24 : plan.version >= 4 ? 16 : 8
  const asked: Block = { bytes: new Uint8Array(new BigUint64Array(attributes).buffer) }
  const known = new Map<number, Block>()
  const attributesOf = (rights: number): Block => {
    const made = known.get(rights) ?? ruleBlock(rights, opened)
    known.set(rights, made)
    return made
  }
  const add = (rights: number): LauncherStep => ({
    call: LANDLOCK.add,
    args: [ruleset, 1, attributesOf(rights & plan.handled), 0]
  })
  return [
    { call: LANDLOCK.create, args: [asked, size, 0], fatal: refused("a ruleset") },
    ...plan.rules.flatMap(
      ({ path, rights }): ReadonlyArray<LauncherStep> => [
        // What is not there any more needs no rule; what leads over a link has been put in another's place meanwhile.
        { ...opening(path), skip: { onFailure: 3 } },
        // A file takes no rights of folders.
        { ...add(rights), skip: { onSuccess: 1 } },
        add(rights & FILE_RIGHTS),
        { call: calls.close, args: [opened] }
      ]
    ),
    { call: LANDLOCK.restrict, args: [ruleset, 0], fatal: refused("to restrict itself") },
    { call: calls.close, args: [ruleset] }
  ]
}

const ruleBlock = (rights: number, descriptor: number): Block => {
  const view = new DataView(new ArrayBuffer(16))
  view.setBigUint64(0, BigInt(rights), true)
  view.setInt32(8, descriptor, true)
  return { bytes: new Uint8Array(view.buffer) }
}

const HIGHEST_CAPABILITY = 63
/** The root of a container works on files of others; no path is opened by this that the rules do not open. */
const OVERRIDES_PERMISSIONS = 1

const withoutCapabilities = ({ isRoot, landlock }: LauncherPlan, calls: LauncherCalls): ReadonlyArray<LauncherStep> => {
  const kept = landlock === undefined ? undefined : OVERRIDES_PERMISSIONS
  const mask = isRoot && kept !== undefined ? 1 << kept : 0
  const header: Block = { bytes: new Uint8Array(new Uint32Array([0x20080522, 0]).buffer) }
  const data: Block = { bytes: new Uint8Array(new Uint32Array([mask, mask, 0, 0, 0, 0]).buffer) }
  // Refused where there are none to drop, which is fine; or beyond the last one.
  const dropped = Array.from({ length: HIGHEST_CAPABILITY + 1 }, (_, capability) => capability)
    .filter((capability) => capability !== kept)
    .map((capability): LauncherStep => ({ call: calls.prctl, args: [PR_CAPBSET_DROP, capability, 0, 0, 0] }))
  return [
    ...dropped,
    { call: calls.prctl, args: [PR_CAP_AMBIENT, CLEAR_ALL, 0, 0, 0] },
    { call: calls.capset, args: [header, data], fatal: refused("to give up capabilities") }
  ]
}

const filterBlock = (filter: Uint8Array): Block => {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setUint16(0, filter.length / 8, true)
  return { bytes, pointsTo: [8, { bytes: filter }] }
}

/** Where a program of this name is looked for, in order. */
export const candidatesFor = (name: string, path: string | undefined): ReadonlyArray<string> =>
  name.includes("/")
    ? [name]
    : (path ?? "/usr/bin:/bin").split(":").map((folder) => `${folder === "" ? "." : folder}/${name}`)

/** Since 2019 new calls have the same number everywhere. */
const LANDLOCK = { create: 444, add: 445, restrict: 446 }
