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
])("%s starts programs", (text, what) =>
  expect(waysAround("x.ts", text)).toEqual([{ line: 1, what, door: "src/system/programs.ts" }])
)

test.each([
  ["await fetch(url)", "fetch"],
  ["const send = fetch", "fetch"],
  ["open({ fetch })", "fetch"],
  ["open({ fetch: fetch })", "fetch"],
  ["const { fetch } = options", "fetch"],
  ["const open = (fetch: Fetch) => null", "fetch"],
  ["globalThis.fetch(url)", "fetch"],
  ['globalThis["fetch"](url)', "fetch"],
  ["const all = globalThis", "an alias of globalThis"],
  ["Bun.fetch(url)", "Bun.fetch"],
  ["Bun.serve({ fetch: answer })", "Bun.serve"],
  ["new WebSocket(url)", "WebSocket"],
  ['import { request } from "node:https"', '"node:https"'],
  ['const net = await import("net")', '"net"'],
  ['import { connect } from "bun"', '"bun"'],
  ['import * as HttpClient from "@effect/platform/HttpClient"', '"@effect/platform/HttpClient"']
])("%s reaches the network", (text, what) =>
  expect(waysAround("x.ts", text)).toEqual([{ line: 1, what, door: "src/system/http" }])
)

test.each([
  "// Bun.spawn would do it too",
  'const text = "Bun.spawn"',
  "let child: Bun.Subprocess",
  "type Options = Bun.SpawnOptions.SpawnOptions",
  "Bun.gc(true)",
  'import type { BunFile } from "bun"',
  'import { semver } from "bun"',
  "spawnProgram(options, { stdin: 'ignore' })",
  "const { spawn } = programs",
  'import type { LookupFunction } from "node:net"',
  "new Transport({ fetch: send })",
  "const { fetch: send } = options",
  "server.fetch(request)",
  "interface Door { readonly fetch: Fetch }",
  "type Open = (fetch: Fetch) => void",
  "let socket: WebSocket",
  "globalThis.gc?.()"
])("%s is none", (text) => expect(waysAround("x.ts", text)).toEqual([]))
