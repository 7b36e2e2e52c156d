/**
 * A seccomp filter as the kernel takes it: classic BPF, eight bytes an instruction. Each rule below is a block that ends
 * in an answer, so that no jump is longer than its block and rules can be put in any order.
 */

/** What a rule answers. An errno is what the program sees; a kill ends it at once. */
export const ALLOW = 0x7fff0000
export const KILL = 0x80000000
export const errnoAnswer = (errno: number): number => 0x00050000 | errno

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

export type Rule = ReadonlyArray<Instruction>

export const onlyArchitecture = (audit: number): Rule => [
  load(ARCHITECTURE),
  [0x15, 1, 0, audit],
  answer(KILL),
  load(CALL_NUMBER)
]

/** Every call with this number or a higher one. */
export const refuseFrom = (first: number, reply: number): Rule => [skipUnlessAtLeast(first, 1), answer(reply)]

export const refuse = (call: number, reply: number): Rule => [skipUnlessEqual(call, 1), answer(reply)]

/** The call is refused where its argument has one of these bits, and allowed otherwise. */
export const refuseBits = (call: number, index: number, mask: number, reply: number): Rule =>
  blockFor(call, [load(argument(index)), skipUnlessAnyBit(mask, 1), answer(reply), answer(ALLOW)])

/** The same, where another argument has one of those bits; without them this one means nothing. */
export const refuseBitsWhere = (
  call: number,
  where: readonly [index: number, mask: number],
  what: readonly [index: number, mask: number],
  reply: number
): Rule =>
  blockFor(call, [
    load(argument(where[0])),
    skipUnlessAnyBit(where[1], 3),
    load(argument(what[0])),
    skipUnlessAnyBit(what[1], 1),
    answer(reply),
    answer(ALLOW)
  ])

/** The call is refused with these values of its argument, and allowed otherwise. */
export const refuseValues = (call: number, index: number, values: ReadonlyArray<number>, reply: number): Rule =>
  blockFor(call, [
    load(argument(index)),
    ...values.flatMap((value) => [skipUnlessEqual(value, 1), answer(reply)]),
    answer(ALLOW)
  ])

/** The call is allowed with these values of its argument only. */
export const allowValues = (call: number, index: number, values: ReadonlyArray<number>, reply: number): Rule =>
  blockFor(call, [
    load(argument(index)),
    ...values.flatMap((value) => [skipUnlessEqual(value, 1), answer(ALLOW)]),
    answer(reply)
  ])

const blockFor = (call: number, body: Rule): Rule => [skipUnlessEqual(call, body.length), ...body]

/** What no rule answers is allowed. Little-endian, as all machines that we run on. */
export const assemble = (rules: ReadonlyArray<Rule>): Uint8Array<ArrayBuffer> => {
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
