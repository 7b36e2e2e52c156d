/** The filter is run here as the kernel would run it, call by call. */
import { describe, expect, test } from "bun:test"
import { callNumbersOf } from "./call-numbers.ts"
import { commandFilter, type FilterWish } from "./command-filter.ts"

const X64 = 0xc000003e
const ARM64 = 0xc00000b7

/** What the filter answers, by the few instructions that it is made of. */
const answerOf = (
  program: Uint8Array,
  architecture: number,
  call: number,
  args: ReadonlyArray<number> = []
): string => {
  const code = new DataView(program.buffer)
  const data = new Map<number, number>([
    [0, call],
    [4, architecture],
    ...args.map((value, index): [number, number] => [16 + 8 * index, value])
  ])
  let value = 0
  for (let at = 0; at < program.length / 8; at++) {
    const operation = code.getUint16(at * 8, true)
    const constant = code.getUint32(at * 8 + 4, true)
    const jump = (isTrue: boolean) => code.getUint8(at * 8 + (isTrue ? 2 : 3))
    if (operation === 0x20) value = data.get(constant) ?? 0
    else if (operation === 0x15) at += jump(value === constant)
    else if (operation === 0x35) at += jump(value >= constant)
    else if (operation === 0x45) at += jump((value & constant) !== 0)
    else if (operation === 0x06) return named(constant)
    else throw new Error(`instruction ${operation}`)
  }
  throw new Error("no answer")
}

const named = (answer: number): string => {
  if (answer === 0x7fff0000) return "allow"
  return answer === 0x80000000 ? "kill" : `errno ${answer & 0xffff}`
}

const wish: FilterWish = {
  architecture: "x64",
  internet: true,
  unixSockets: true,
  fileModes: true,
  isAmongOthers: false
}
const filter = (given: Partial<FilterWish> = {}): Uint8Array => {
  const made = commandFilter({ ...wish, ...given })
  if (made === undefined) throw new Error("no filter")
  return made
}

describe("on x64", () => {
  const rows: ReadonlyArray<readonly [string, Partial<FilterWish>, number, ReadonlyArray<number>, string]> = [
    ["read", {}, 0, [], "allow"],
    ["execve", {}, 59, [], "allow"],
    ["ptrace", {}, 101, [], "errno 1"],
    ["io_uring_setup", {}, 425, [], "errno 1"],
    ["mount", {}, 165, [], "errno 1"],
    ["a call of the x32 sort", {}, 0x40000000, [], "errno 1"],
    ["fork", {}, 56, [17], "allow"],
    ["clone with new users", {}, 56, [0x10000011], "errno 1"],
    ["clone3", {}, 435, [], "errno 38"],
    ["asking for the size of a terminal", {}, 16, [0, 0x5413], "allow"],
    ["typing into a terminal", {}, 16, [0, 0x5412], "errno 1"],
    ["pasting into a console", {}, 16, [0, 0x541c], "errno 1"],
    ["a unix socket", {}, 41, [1], "allow"],
    ["a unix socket where none is allowed", { unixSockets: false }, 41, [1], "errno 97"],
    ["an internet socket", {}, 41, [2], "allow"],
    ["an internet socket without network", { internet: false }, 41, [2], "errno 97"],
    ["version 6 without network", { internet: false }, 41, [10], "errno 97"],
    ["netlink", { internet: false, unixSockets: false }, 41, [16], "allow"],
    ["packets", {}, 41, [17], "errno 97"],
    ["the host of a virtual machine", {}, 41, [40], "errno 97"],
    ["chmod", {}, 90, [], "allow"],
    ["chmod that runs as its owner", {}, 90, [0, 0o4755], "errno 1"],
    ["fchmodat that runs as its owner", {}, 268, [0, 0, 0o4755], "errno 1"],
    ["fchmodat2 that runs as its owner", {}, 452, [0, 0, 0o4755], "errno 1"],
    ["a folder whose files belong to its group", {}, 90, [0, 0o2775], "allow"],
    ["making a file", {}, 257, [0, 0, 0o101, 0o644], "allow"],
    ["making a file that runs as its owner", {}, 257, [0, 0, 0o101, 0o4755], "errno 1"],
    ["opening a file with what happens to be there", {}, 257, [0, 0, 0, 0xffffffff], "allow"],
    ["opening it by the older call", {}, 2, [0, 0, 0xffffffff], "allow"],
    ["making a file without a name", {}, 257, [0, 0, 0o20200001, 0o4755], "errno 1"],
    ["a way to open whose mode cannot be seen", {}, 437, [], "errno 38"],
    ["shared memory", {}, 29, [], "allow"],
    ["shared memory of everybody", { isAmongOthers: true }, 29, [], "errno 1"],
    ["a message queue of everybody", { isAmongOthers: true }, 240, [], "errno 1"],
    ["limits of one's own", { isAmongOthers: true }, 302, [0], "allow"],
    ["limits of others", { isAmongOthers: true }, 302, [4711], "errno 1"],
    ["chmod where only reading is meant", { fileModes: false }, 90, [], "errno 1"]
  ]
  test.each(rows)("%s %j", (_, given, call, args, expected) => {
    expect(answerOf(filter(given), X64, call, args)).toBe(expected)
  })

  test("a call of another architecture ends the program", () => {
    expect(answerOf(filter(), ARM64, 0)).toBe("kill")
    expect(answerOf(filter(), 0x40000003, 0)).toBe("kill")
  })
})

describe("on arm64", () => {
  test.each([
    [117, [], "errno 1"],
    [425, [], "errno 1"],
    [220, [17], "allow"],
    [220, [0x10000000], "errno 1"],
    [29, [0, 0x5412], "errno 1"],
    [198, [40], "errno 97"],
    [63, [], "allow"]
  ])("%d %j: %s", (call, args, expected) => {
    expect(answerOf(filter({ architecture: "arm64" }), ARM64, call, args)).toBe(expected)
  })
})

test("every call of the list is refused, once", () => {
  for (const [architecture, audit] of [
    ["x64", X64],
    ["arm64", ARM64]
  ] as const) {
    const refused = callNumbersOf(architecture)?.refused ?? []
    expect(new Set(refused).size).toBe(refused.length)
    for (const call of refused) expect(answerOf(filter({ architecture }), audit, call)).toBe("errno 1")
  }
})

test("there is none for a machine whose calls are not known", () => {
  expect(commandFilter({ ...wish, architecture: "riscv64" })).toBeUndefined()
})
