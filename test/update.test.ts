/** `gemini update` from a mirror on loopback: a copy of the binary replaces itself, or stays as it is. */
import { expect, test } from "bun:test"
import { copyFile, link, mkdir, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { BINARY, newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const NEXT = "99.1.2"

/** A copy of the program in a folder of its own, and the mirror that has the next version for it. */
const installed = async (place: Workspace) => {
  const bin = join(place.root, "bin")
  const program = join(bin, "gemini")
  await mkdir(bin)
  await link(BINARY, program).catch(() => copyFile(BINARY, program))
  const facts: { readonly target: string } = JSON.parse((await place.run(["--version", "--json"])).stdout)
  const folder = `gemini-${NEXT}-${facts.target}`
  await place.write(`mirror/${folder}/gemini`, `#!/bin/sh\necho ${NEXT}\n`)
  const packed = await place.shell(`cd ../mirror && tar -czf ${folder}.tar.gz ${folder} && sha256sum ${folder}.tar.gz`)
  const files = new Map<string, Uint8Array | string>([
    ["SHA256SUMS", packed.stdout],
    [`${folder}.tar.gz`, await Bun.file(join(place.root, "mirror", `${folder}.tar.gz`)).bytes()]
  ])
  const asked: Array<string> = []
  const mirror = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      asked.push(pathname)
      const [, version, name = ""] = /^\/(?:latest\/download|download\/(v[^/]+))\/(.*)$/.exec(pathname) ?? []
      const body = version === undefined || version === `v${NEXT}` ? files.get(name) : undefined
      return body === undefined ? new Response("no", { status: 404 }) : new Response(body)
    }
  })
  const env = { GEMINI_FX_DOWNLOAD_BASE: `http://127.0.0.1:${mirror.port}/download/` }
  return {
    archive: `${folder}.tar.gz`,
    asked,
    env,
    files,
    program,
    bin: () => readdir(bin),
    update: (...args: ReadonlyArray<string>) => place.shell(`"${program}" update ${args.join(" ")}`, { env }),
    [Symbol.asyncDispose]: () => mirror.stop(true)
  }
}

test("the next version takes the place of this one, and the old one stays beside it", async () => {
  await using place = await newWorkspace()
  await using here = await installed(place)
  const before = await stat(here.program)

  expect(await here.update("--check")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(`Version ${NEXT} is available`)
  })
  expect(await here.bin()).toEqual(["gemini"])

  const done = await here.update("--json")
  expect(done).toMatchObject({ exitCode: 0, stderr: "" })
  expect(JSON.parse(done.stdout)).toMatchObject({ available: NEXT, updated: true, installed_by: null })
  expect(await readFile(here.program, "utf8")).toContain(NEXT)
  expect((await stat(here.program)).mode & 0o777).toBe(0o755)
  expect(await here.bin()).toEqual(["gemini", "gemini.old"])
  expect((await stat(`${here.program}.old`)).size).toBe(before.size)
})

test("what is damaged, missing, or of another version changes nothing", async () => {
  await using place = await newWorkspace()
  await using here = await installed(place)
  const whole = here.files.get(here.archive) as Uint8Array
  const sums = here.files.get("SHA256SUMS") as string
  const cases: ReadonlyArray<readonly [string, string, Uint8Array | string | undefined]> = [
    ["is damaged or was changed", here.archive, whole.map((byte, at) => (at === 99 ? byte ^ 1 : byte))],
    ["is damaged or was changed", here.archive, whole.slice(0, 50)],
    ["answered 404", here.archive, undefined],
    ["no list of sums", "SHA256SUMS", "<html></html>"],
    ["no build for", "SHA256SUMS", sums.replace(/-(linux|darwin)-/, "-windows-")],
    ["answered 404", "SHA256SUMS", undefined]
  ]
  for (const [words, name, content] of cases) {
    here.files.set(here.archive, whole).set("SHA256SUMS", sums)
    if (content === undefined) here.files.delete(name)
    else here.files.set(name, content)
    expect(await here.update()).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(words) })
    expect(await here.bin()).toEqual(["gemini"])
  }
  here.files.set(here.archive, whole).set("SHA256SUMS", sums)
  expect(await here.update("--version", "98.0.0")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("98.0.0")
  })
  expect(await here.update("--version", "../x")).toMatchObject({ exitCode: 1 })
})

test("nothing is asked of anybody when nobody asks for it", async () => {
  await using place = await newWorkspace()
  await using here = await installed(place)
  await place.shell(`"${here.program}" config list`, { env: { GEMINI_FX_DOWNLOAD_BASE: "http://127.0.0.1:9/" } })
  expect(here.asked).toEqual([])
})

test("a conversation says once a day that there is a newer version, where somebody turned that on", async () => {
  await using place = await newWorkspace()
  await using here = await installed(place)
  await using server = await startModelServer([])
  const talk = async (says: string) => {
    const session = startInTerminal(place, ["--skip-trust"], { server, env: here.env })
    await session.shows(says)
    await session.waits()
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    return session.plain()
  }
  expect(await talk("Type your message")).not.toContain(NEXT)
  expect(here.asked).toEqual([])
  await place.write("home/.gemini/settings.json", '{"general":{"enableAutoUpdateNotification":true}}')
  expect(await talk(`version ${NEXT} is available`)).toContain("gemini update")
  expect(await talk("Type your message")).not.toContain(NEXT)
  expect(here.asked).toEqual(["/latest/download/SHA256SUMS"])
})
