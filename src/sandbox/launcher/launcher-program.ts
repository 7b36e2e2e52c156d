/**
 * The smallest program that can restrict itself and become another one: a list of system calls, and half a kilobyte of
 * machine code that makes one after the other. Starting our own program for this costs more than everything else of a
 * confined command together; this one starts in less time than a shell. It is written to a private file, and is the same
 * file for all commands that have the same walls.
 *
 * A step has an address to go on at where the kernel answers with an error, and another one where it does not. Addresses
 * are fixed, so nothing has to be relocated; `confine-self.ts` goes through the same list in our own program, where nothing
 * can be started from private files.
 */

/** Memory that the kernel is given the address of. */
export interface Block {
  readonly bytes: Uint8Array
  /** At this place in it stands the address of another one. */
  readonly pointsTo?: readonly [offset: number, block: Block]
}

/** A place in a block. */
interface Place {
  readonly within: Block
  readonly offset: number
}

/** `argv`: the arguments without the first, which is the program itself. Both only as second and third argument. */
export type LauncherArgument = number | Block | Place | "argv" | "environment"

/** No call of the kernel: succeeds where, from the first argument to the second, the third is found in its length. */
export const FIND = -2

export interface LauncherStep {
  readonly call: number
  readonly args: ReadonlyArray<LauncherArgument>
  /** How many of the next steps are left out where the call succeeds, or where it fails. */
  readonly skip?: { readonly onSuccess?: number; readonly onFailure?: number }
  /** Said on standard error where the call fails; then the program ends with this code. */
  readonly fatal?: readonly [text: string, exitCode: number]
}

export const textBlock = (text: string): Block => ({ bytes: Buffer.from(`${text}\0`) })

/** Both in the file and in memory: two parts of the same pages, of which one can be run and the other one changed. */
const CODE_AT = 0x400000
const DATA_AT = 0x10000000
const DATA_OFFSET = 512
const HEADERS = 64 + 3 * 56
const FIRST_STEP = DATA_AT + DATA_OFFSET
/** A call, six arguments, and where to go on after a success and after a failure. */
const STEP_BYTES = 72
/** What the machine code takes for the arguments and for the variables that it was started with. */
const OWN = -7n

/** `undefined`: there is no machine code for this machine. */
export const launcherProgram = (
  steps: ReadonlyArray<LauncherStep>,
  architecture: string
): Uint8Array<ArrayBuffer> | undefined => {
  const machine = MACHINES[architecture]
  if (machine === undefined) return undefined
  const all = withEndings(steps, machine)
  const addresses = addressesOf(all)
  const end = [...addresses].reduce((last, [{ bytes }, address]) => Math.max(last, address + bytes.length), FIRST_STEP)
  const file = new Uint8Array(end - DATA_AT)
  const view = new DataView(file.buffer)
  writeHeaders(view, machine.elf)
  file.set(machine.code, HEADERS)
  const put = (address: number, value: bigint | number) =>
    view.setBigUint64(address - DATA_AT, BigInt.asUintN(64, BigInt(value)), true)
  const argumentValue = (argument: LauncherArgument): bigint | number => {
    if (argument === "argv" || argument === "environment") return OWN
    if (typeof argument === "number") return argument
    const { offset, within } = placeIn(argument)
    return (addresses.get(within) ?? 0) + offset
  }
  for (const [{ bytes, pointsTo }, address] of addresses) {
    file.set(bytes, address - DATA_AT)
    if (pointsTo !== undefined) put(address + pointsTo[0], argumentValue(pointsTo[1]))
  }
  for (const [index, { args, call, onFailure, onSuccess }] of all.entries()) {
    const at = stepAt(index)
    put(at, call)
    for (const [position, argument] of args.entries()) put(at + 8 * (position + 1), argumentValue(argument))
    put(at + 56, stepAt(onSuccess))
    put(at + 64, stepAt(onFailure))
  }
  return file
}

const placeIn = (argument: Block | Place): Place => ("within" in argument ? argument : { within: argument, offset: 0 })

const stepAt = (index: number): number => FIRST_STEP + STEP_BYTES * index

interface PlacedStep extends Pick<LauncherStep, "call" | "args"> {
  /** Numbers of steps. */
  readonly onSuccess: number
  readonly onFailure: number
}

/** For each way to fail, two steps behind the others: saying so, and ending. */
const withEndings = (steps: ReadonlyArray<LauncherStep>, { calls }: Machine): ReadonlyArray<PlacedStep> => {
  const endings: Array<PlacedStep> = []
  const known = new Map<string, number>()
  const endingFor = ([text, exitCode]: readonly [text: string, exitCode: number]): number => {
    const before = known.get(`${exitCode} ${text}`)
    if (before !== undefined) return before
    const at = steps.length + endings.length
    const said = { bytes: Buffer.from(`${text}\n`) }
    endings.push(
      { call: calls.write, args: [2, said, said.bytes.length], onSuccess: at + 1, onFailure: at + 1 },
      { call: calls.exit, args: [exitCode], onSuccess: at + 1, onFailure: at + 1 }
    )
    known.set(`${exitCode} ${text}`, at)
    return at
  }
  const placed = steps.map(
    (step, index): PlacedStep => ({
      ...step,
      onSuccess: index + 1 + (step.skip?.onSuccess ?? 0),
      onFailure: step.fatal === undefined ? index + 1 + (step.skip?.onFailure ?? 0) : endingFor(step.fatal)
    })
  )
  return [...placed, ...endings]
}

/** Behind the steps. The same block is there once. */
const addressesOf = (steps: ReadonlyArray<PlacedStep>): ReadonlyMap<Block, number> => {
  const addresses = new Map<Block, number>()
  let next = stepAt(steps.length)
  const place = (block: Block): void => {
    if (addresses.has(block)) return
    addresses.set(block, next)
    next += (block.bytes.length + 7) & ~7
    if (block.pointsTo !== undefined) place(block.pointsTo[1])
  }
  for (const { args } of steps) {
    for (const argument of args) if (typeof argument === "object") place(placeIn(argument).within)
  }
  return addresses
}

/** A program of 64 bits, little-endian, that is loaded where it says. */
const writeHeaders = (view: DataView, elf: number): void => {
  const [LOADED, STACK] = [1, 0x6474e551]
  const [RUN, WRITE, READ] = [1, 2, 4]
  const size = view.byteLength
  view.setBigUint64(0, 0x00010102464c457fn, true)
  view.setUint16(16, 2, true)
  view.setUint16(18, elf, true)
  view.setUint32(20, 1, true)
  view.setBigUint64(24, BigInt(CODE_AT + HEADERS), true)
  view.setBigUint64(32, 64n, true)
  for (const [at, value] of [
    [52, 64],
    [54, 56],
    [56, 3]
  ] as const) {
    view.setUint16(at, value, true)
  }
  for (const [index, [type, flags, offset, address, length]] of [
    [LOADED, READ | RUN, 0, CODE_AT, DATA_OFFSET],
    [LOADED, READ | WRITE, DATA_OFFSET, DATA_AT + DATA_OFFSET, size - DATA_OFFSET],
    [STACK, READ | WRITE, 0, 0, 0]
  ].entries()) {
    const at = 64 + 56 * index
    view.setUint32(at, type ?? 0, true)
    view.setUint32(at + 4, flags ?? 0, true)
    for (const [position, value] of [offset, address, address, length, length, 0x10000].entries()) {
      view.setBigUint64(at + 8 + 8 * position, BigInt(value ?? 0), true)
    }
  }
}

interface Machine {
  /** As the format names it. */
  readonly elf: number
  readonly calls: { readonly write: number; readonly exit: number }
  readonly code: Uint8Array
}

const bytesOf = (...rows: ReadonlyArray<string>): Uint8Array => Buffer.from(rows.join("").replaceAll(" ", ""), "hex")

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    elf: 62,
    calls: { write: 1, exit: 231 },
    code: bytesOf(
      "48 8b 1c 24", // rbx = [rsp], how many arguments
      "4c 8d 74 24 10", // r14 = rsp + 16, the arguments without the first
      "4c 8d 7c dc 10", // r15 = rsp + 8 * rbx + 16, the variables
      "41 bd 00 02 00 10", // r13 = the first step
      "49 8b 45 00", // next: rax = [r13]
      "49 8b 7d 08", // rdi = [r13 + 8]
      "49 8b 75 10", // rsi = [r13 + 16]
      "49 8b 55 18", // rdx = [r13 + 24]
      "4d 8b 55 20", // r10 = [r13 + 32]
      "4d 8b 45 28", // r8 = [r13 + 40]
      "4d 8b 4d 30", // r9 = [r13 + 48]
      "48 83 f8 fe", // is it FIND?
      "74 26", // to find
      "48 83 fe f9", // rsi = r14, if it is OWN
      "49 0f 44 f6",
      "48 83 fa f9", // rdx = r15, if it is OWN
      "49 0f 44 d7",
      "0f 05", // the call
      "48 3d 01 f0 ff ff", // after: is it one of the 4095 errors?
      "49 8b 4d 38", // rcx = [r13 + 56]
      "49 0f 43 4d 40", // rcx = [r13 + 64], if it is
      "49 89 cd", // r13 = rcx
      "eb b8", // to next
      "4a 8d 0c 17", // find: to after with the error, if rdi + r10 is beyond rsi
      "48 39 f1",
      "77 e3",
      "49 89 f8", // to find with rdi + 1, if the first byte is another one
      "41 8a 08",
      "3a 0a",
      "49 8d 78 01",
      "75 e9",
      "49 89 f1", // compares r10 bytes from rdx on; to find with rdi + 1, if they are others
      "4c 89 c7",
      "48 89 d6",
      "4c 89 d1",
      "f3 a6",
      "4c 89 ce",
      "49 8d 78 01",
      "75 d2",
      "31 c0", // rax = 0
      "eb ba" // to after
    )
  },
  arm64: {
    elf: 183,
    calls: { write: 64, exit: 94 },
    code: bytesOf(
      "f3 03 40 f9", // x19 = [sp], how many arguments
      "f4 43 00 91", // x20 = sp + 16, the arguments without the first
      "95 0e 13 8b", // x21 = x20 + 8 * x19, the variables
      "16 00 a2 d2", // x22 = the first step
      "d6 02 08 91",
      "c8 02 40 a9", // next: x8, x0 = [x22]
      "c1 0a 41 a9", // x1, x2 = [x22 + 16]
      "c3 12 42 a9", // x3, x4 = [x22 + 32]
      "c5 1a 40 f9", // x5 = [x22 + 48]
      "1f 09 00 b1", // is it FIND?
      "40 01 00 54", // to find
      "3f 1c 00 b1", // x1 = x20, if it is OWN
      "81 02 81 9a",
      "5f 1c 00 b1", // x2 = x21, if it is OWN
      "a2 02 82 9a",
      "01 00 00 d4", // the call
      "ca ae 43 a9", // after: x10, x11 = [x22 + 56]
      "1f fc 3f b1", // is it one of the 4095 errors?
      "76 21 8a 9a", // x22 = x11 if it is, else x10
      "f2 ff ff 17", // to next
      "09 00 03 8b", // find: to miss, if x0 + x3 is beyond x1
      "3f 01 01 eb",
      "a8 01 00 54",
      "0a 00 80 d2", // x10 = 0
      "0b 68 6a 38", // same: to other, if the bytes at x0 + x10 and x2 + x10 differ
      "4c 68 6a 38",
      "7f 01 0c 6b",
      "c1 00 00 54",
      "4a 05 00 91", // to same with x10 + 1, while that is below x3
      "5f 01 03 eb",
      "43 ff ff 54",
      "00 00 80 d2", // x0 = 0
      "f0 ff ff 17", // to after
      "00 04 00 91", // other: to find with x0 + 1
      "f2 ff ff 17",
      "00 00 80 92", // miss: x0 = an error
      "ec ff ff 17" // to after
    )
  }
}

/** Of a file made here: where its second part is to be, where in the file that begins, and the first step. */
export const LAUNCHER_LAYOUT = { dataAt: DATA_AT, dataOffset: DATA_OFFSET, own: OWN }
