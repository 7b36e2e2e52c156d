import { describe, expect, test } from "bun:test"
import { outputWays } from "./output-ways.ts"

const found = (source: string) => outputWays("x.ts", source).map(({ what }) => what)

describe("is found", () => {
  test.each([
    ["process.stdout.write(text)", "process.stdout"],
    ['process["stderr"].write(text)', "process.stderr"],
    ["globalThis.process.stderr.write(text)", "process.stderr"],
    ["const out = process.stdout", "process.stdout"],
    ["const { stdout } = process", "process.stdout"],
    ["const { stderr: e } = process", "process.stderr"],
    ["Bun.stdout.writer()", "Bun.stdout"],
    ["await Bun.write(Bun.stderr, text)", "Bun.stderr"],
    ["Bun.write(Bun.file(1), text)", "file(1)"],
    ["console.log(text)", "console.log"],
    ["console.error(text)", "console.error"],
    ["fs.writeSync(2, text)", "writeSync(2)"],
    ["writeSync(1, text)", "writeSync(1)"],
    ['createWriteStream("", { fd: 1 })', "createWriteStream with a descriptor"],
    ['openSync("/dev/tty", "w")', "/dev/tty"],
    ["appendFileSync('/proc/self/fd/1', text)", "/proc/self/fd/1"],
    ['import { stdout } from "node:process"', "node:process stdout"],
    ['import { Console, Effect } from "effect"', "Console of effect"],
    ['import { WriteStream } from "node:tty"', "WriteStream of node:tty"],
    ['Bun.spawn(["x"], { stdout: "inherit" })', 'stdout: "inherit"'],
    ['spawn("x", { stdio: ["pipe", "inherit", "pipe"] })', 'stdio: "inherit"'],
    ['spawn("x", { stdio: "inherit" })', 'stdio: "inherit"'],
    ["stdout.writeUnchanged(text)", "writeUnchanged"],
    ["const write = ({ writeUnchanged }: Out) => 1", "writeUnchanged"]
  ])("%s", (source, what) => expect(found(source)).toEqual([what]))
})

describe("is none", () => {
  test.each([
    ["// process.stdout.write(text)"],
    ['const text = "console.log"'],
    ["const wide = process.stdout.columns"],
    ["result.stdout.trim()"],
    ["child.stderr.on('data', take)"],
    ["const { stdout } = await run()"],
    ["stdout.write(text)"],
    ["writeSync(descriptor, bytes)"],
    ['Bun.spawnSync(["stty"], { stdin: "inherit", stdout: "ignore" })'],
    ['const harmless = new Set(["/dev/stdout"])'],
    ["const console = 1"]
  ])("%s", (source) => expect(found(source)).toEqual([]))
})

test("the line is told", () =>
  expect(outputWays("x.ts", "\n\nconsole.log(1)")).toEqual([{ line: 3, what: "console.log" }]))
