import { afterAll, beforeAll, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { programOrigin } from "./system-program.ts"

let root: string
const at = (path: string): string => join(root, path)
const program = (path: string, mode = 0o755): void => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), "#!/bin/sh\n")
  chmodSync(at(path), mode)
}

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "system-program-")))
  for (const path of ["home/.cargo/bin/rg", "work/bin/rg", "shared/rg", "loose/rg"]) program(path)
  chmodSync(at("shared"), 0o777)
  chmodSync(at("loose/rg"), 0o777)
  program("home/plain/rg", 0o644)
  mkdirSync(at("links"))
  symlinkSync("/bin/sh", at("links/rg"))
  symlinkSync(at("work/bin/rg"), at("links/project"))
  symlinkSync("/bin/sh", at("work/bin/turned"))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const originOf = (name: string, ...folders: ReadonlyArray<string>) =>
  programOrigin(name, { path: folders.join(":"), roots: [at("work")] })

test("a program of the system is one wherever its name is found", () => {
  expect(originOf("sh", "/usr/bin", "/bin")).toBe("system")
  expect(originOf("/bin/sh")).toBe("system")
  expect(originOf("rg", at("links"))).toBe("system")
})

test("the first folder that has the name decides", () => {
  expect(originOf("rg", at("home/.cargo/bin"), at("links"))).toBe("own")
  expect(originOf("rg", at("home/plain"), at("links"))).toBe("system")
  expect(originOf("rg", at("work/bin"), at("links"))).toBe("strange")
})

test("what somebody installed for themselves is their own; what anybody can write is not", () => {
  expect(originOf("rg", at("home/.cargo/bin"))).toBe("own")
  expect(originOf("rg", at("shared"))).toBe("strange")
  expect(originOf("rg", at("loose"))).toBe("strange")
})

test("nothing that stands or is linked in the project is what its name says", () => {
  expect(originOf("project", at("links"))).toBe("strange")
  expect(originOf("turned", at("work/bin"))).toBe("strange")
  expect(originOf(at("work/bin/rg"))).toBe("strange")
  expect(originOf("./rg")).toBe("strange")
})

test("a relative entry, a detour and a missing file are no way to a program", () => {
  expect(originOf("sh", "", "/bin")).toBe("strange")
  expect(originOf("sh", "bin", "/bin")).toBe("strange")
  expect(originOf("/usr/bin/../bin/sh")).toBe("strange")
  expect(originOf("//bin/sh")).toBe("strange")
  expect(originOf("no-such-program", "/usr/bin", "/bin")).toBe("nowhere")
})
