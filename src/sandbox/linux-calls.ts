/**
 * The few system calls that no library of ours offers, by the C library's own functions. Each throws what the kernel says.
 * Loaded only by a process that is about to become a confined command, and by the look whether Landlock is there.
 */

import { dlopen, type Pointer, ptr, read } from "bun:ffi"
import { readlinkSync } from "node:fs"

const open = () => {
  const library = process.platform === "linux" ? ["libc.so.6", `libc.musl-${MUSL_NAME[process.arch] ?? ""}.so.1`] : []
  for (const name of library) {
    try {
      return dlopen(name, {
        syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
        prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
        open: { args: ["ptr", "i32"], returns: "i32" },
        close: { args: ["i32"], returns: "i32" },
        signal: { args: ["i32", "ptr"], returns: "ptr" },
        execvp: { args: ["ptr", "ptr"], returns: "i32" },
        __errno_location: { args: [], returns: "ptr" }
      }).symbols
    } catch {
      // The other C library, then.
    }
  }
  throw new Error("no C library was found")
}

const MUSL_NAME: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" }

const C_CALLS = { x64: { fcntl: 72, mount: 165, capset: 126 }, arm64: { fcntl: 25, mount: 40, capset: 91 } }
const LANDLOCK = { create: 444, add: 445, restrict: 446 }
const CLOSE_RANGE = 436
const MOUNT_SETATTR = 442
const OPENAT2 = 437

export class LinuxCalls {
  private readonly c = open()
  private readonly own = process.arch === "arm64" ? C_CALLS.arm64 : C_CALLS.x64
  /** Memory that the kernel was given addresses of: it must not be collected before the call. */
  private readonly held: Array<NodeJS.TypedArray> = []

  /** The version of Landlock that this kernel has; 0: none. */
  landlockVersion(): number {
    return Math.max(this.call(LANDLOCK.create, 0, 0, 1), 0)
  }

  /** Nothing that is run from here on can gain rights, as `su` does. */
  forbidNewRights(): void {
    this.need(this.c.prctl(38, 1n, 0n, 0n, 0n), "no new rights")
  }

  dieWithParent(): void {
    this.need(this.c.prctl(1, 9n, 0n, 0n, 0n), "to end with the parent")
  }

  /** `kept`: numbers of capabilities. */
  dropCapabilities(kept: ReadonlyArray<number>): void {
    for (let capability = 0; capability < 64; capability += 1) {
      // Refused where there are none to drop, which is fine; or beyond the last one.
      if (!kept.includes(capability)) this.c.prctl(24, BigInt(capability), 0n, 0n, 0n)
    }
    this.c.prctl(47, 4n, 0n, 0n, 0n)
    const mask = process.getuid?.() === 0 ? kept.reduce((sum, capability) => sum | (1 << capability), 0) : 0
    const header = new Uint32Array([0x20080522, 0])
    const data = new Uint32Array([mask, mask, 0, 0, 0, 0])
    this.need(this.call(this.own.capset, this.at(header), this.at(data)), "to give up capabilities")
  }

  mountOver(path: string, source: string): void {
    const BIND = 4096
    this.need(this.call(this.own.mount, this.textAt(source), this.textAt(path), 0, BIND, 0), `to hide ${path}`)
  }

  /** A device on a mount of its own: it is read and written as before, its permissions and owner stay. */
  settle(device: string): void {
    const READ_ONLY = 1
    const HERE = -100
    const set = new BigUint64Array([BigInt(READ_ONLY), 0n, 0n, 0n])
    if (this.call(MOUNT_SETATTR, HERE, this.textAt(device), 0, this.at(set), 32) === 0) return
    // Before Linux 5.12. The other flags are those that bubblewrap gave it.
    const [NO_SUID, REMOUNT, BIND] = [2, 32, 4096]
    const flags = READ_ONLY | NO_SUID | REMOUNT | BIND
    this.need(this.call(this.own.mount, 0, this.textAt(device), 0, flags, 0), `to settle ${device}`)
  }

  /**
   * Of a real path. `undefined`: one that is not there any more needs no rule. One that leads over a link has been put in
   * another's place meanwhile.
   */
  openPath(path: string): number | undefined {
    const [HERE, NO_LINKS, NOT_KNOWN, NOT_PERMITTED] = [-100, 4, 38, 1]
    const PATH_ONLY = 0o10000000 | 0o2000000 | 0o400000
    const how = new BigUint64Array([BigInt(PATH_ONLY), 0n, BigInt(NO_LINKS)])
    const opened = this.call(OPENAT2, HERE, this.textAt(path), this.at(how), how.byteLength)
    if (opened >= 0) return opened
    if (![NOT_KNOWN, NOT_PERMITTED].includes(this.errno())) return undefined
    // A filter around us does not know the call: then the name that the kernel gives it must be the same.
    const descriptor = this.c.open(this.textAt(path), PATH_ONLY)
    if (descriptor < 0) return undefined
    if (readlinkSync(`/proc/self/fd/${descriptor}`) === path) return descriptor
    this.close(descriptor)
    return undefined
  }

  close(descriptor: number): void {
    this.c.close(descriptor)
  }

  createRuleset(handled: number, handledNetwork: number, scoped: number, version: number): number {
    const attributes = new BigUint64Array([BigInt(handled), BigInt(handledNetwork), BigInt(scoped)])
    // Older kernels know fewer fields.
    const size = version >= 6 ? 24 : version >= 4 ? 16 : 8
    const ruleset = this.call(LANDLOCK.create, this.at(attributes), size, 0)
    this.need(ruleset, "a ruleset")
    return ruleset
  }

  /** Whether it was taken: a file takes no rights of folders. */
  addRule(ruleset: number, descriptor: number, rights: number): boolean {
    const attributes = new DataView(new ArrayBuffer(16))
    attributes.setBigUint64(0, BigInt(rights), true)
    attributes.setInt32(8, descriptor, true)
    return this.call(LANDLOCK.add, ruleset, 1, this.at(new Uint8Array(attributes.buffer)), 0) === 0
  }

  restrictSelf(ruleset: number): void {
    this.need(this.call(LANDLOCK.restrict, ruleset, 0), "to restrict itself")
  }

  filterCalls(filter: Uint8Array): void {
    const program = new DataView(new ArrayBuffer(16))
    program.setUint16(0, filter.length / 8, true)
    program.setBigUint64(8, BigInt(this.at(filter)), true)
    this.need(this.c.prctl(22, 2n, BigInt(this.at(new Uint8Array(program.buffer))), 0n, 0n), "a filter of system calls")
  }

  /** Becomes the program; returns only when that fails, with the kernel's number for the reason. */
  become(argv: ReadonlyArray<string>): number {
    // Everything but the three standard ones closes. Broken pipes and too large files end a program again, as they do
    // where no runtime asked not to hear of them.
    const ON_EXEC = 4
    this.call(CLOSE_RANGE, 3, 0xffffffff, ON_EXEC)
    for (const signal of [13, 25]) this.c.signal(signal, null)
    for (const descriptor of [0, 1, 2]) this.waitsAgain(descriptor)
    const pointers = new BigUint64Array([...argv.map((argument) => BigInt(this.textAt(argument))), 0n])
    this.c.execvp(this.textAt(argv[0] ?? ""), this.at(pointers))
    return this.errno()
  }

  /** Whoever writes waits for a slow reader: our own runtime may have asked not to, and that outlives it. */
  private waitsAgain(descriptor: number): void {
    const [GET, SET, WITHOUT_WAITING] = [3, 4, 0o4000]
    const flags = this.call(this.own.fcntl, descriptor, GET)
    if (flags > 0) this.call(this.own.fcntl, descriptor, SET, flags & ~WITHOUT_WAITING)
  }

  private call(number: number, ...given: ReadonlyArray<number>): number {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = given
    return Number(this.c.syscall(BigInt(number), BigInt(a), BigInt(b), BigInt(c), BigInt(d), BigInt(e)))
  }

  private at(memory: NodeJS.TypedArray): Pointer {
    this.held.push(memory)
    return ptr(memory)
  }

  private textAt(value: string): Pointer {
    return this.at(Buffer.from(`${value}\0`))
  }

  private errno(): number {
    const place = this.c.__errno_location()
    return place === null ? 0 : read.i32(place, 0)
  }

  private need(result: number, what: string): void {
    if (result < 0) throw new Error(`the kernel refused ${what} (errno ${this.errno()})`)
  }
}
