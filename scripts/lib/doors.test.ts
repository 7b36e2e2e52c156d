import { expect, test } from "bun:test"
import { waysAround } from "./doors.ts"

test.each([
  ['Bun.spawn(["ls"])', "Bun.spawn"],
  ['Bun.spawnSync({ cmd: ["ls"] })', "Bun.spawnSync"],
  ["const run = Bun.spawn", "Bun.spawn"],
  ['Bun["spawn"](["ls"])', "Bun.spawn"],
  ['globalThis.Bun.spawn(["ls"])', "Bun.spawn"],
  ["await Bun.$`ls`", "Bun.$"],
  ["const { spawn } = Bun", "an alias of Bun"],
  ["const bun = Bun", "an alias of Bun"],
  ["const name = x as keyof typeof Bun; Bun[name]()", "an alias of Bun"],
  ['import { $ } from "bun"', '"bun"'],
  ['import { spawn as start } from "bun"', '"bun"'],
  ['import * as bun from "bun"', '"bun"'],
  ['const { spawn } = await import("bun")', '"bun"'],
  ['import { execFile } from "node:child_process"', '"node:child_process"'],
  ['export { fork } from "child_process"', '"child_process"'],
  ['const cp = await import("node:child_process")', '"node:child_process"'],
  ['process.getBuiltinModule("node:child_process")', '"node:child_process"'],
  ['import * as Command from "@effect/platform/Command"', '"@effect/platform/Command"']
])("%s is a way around", (text, what) => expect(waysAround("x.ts", text)).toEqual([{ line: 1, what }]))

test.each([
  "// Bun.spawn would do it too",
  'const text = "Bun.spawn"',
  "let child: Bun.Subprocess",
  "type Options = Bun.SpawnOptions.SpawnOptions",
  "Bun.gc(true)",
  'import type { BunFile } from "bun"',
  'import { semver } from "bun"',
  "spawnProgram(options, { stdin: 'ignore' })",
  "const { spawn } = programs"
])("%s is none", (text) => expect(waysAround("x.ts", text)).toEqual([]))
