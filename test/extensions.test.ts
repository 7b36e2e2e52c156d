// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of extensions are written so.
/** Extensions in the compiled program: what they bring to a run, the questions before one is installed, and a kill half way. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { contentsBelow, fullExtension, writeFiles } from "./kit/extension-room.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

/** The key store of the machine that runs the tests is left alone. */
const env = { GEMINI_FORCE_FILE_STORAGE: "true" }
const untrusted = { ...env, GEMINI_CLI_TRUST_WORKSPACE: undefined }

const withSource = async () => {
  const place = await newWorkspace()
  writeFiles(join(place.root, "source"), fullExtension("1.0.0"))
  return place
}

const installed = (place: Workspace) => join(place.home, ".gemini/extensions/full/gemini-extension.json")

test("what an extension brings is there in a run, and gone where it is off", async () => {
  await using place = await withSource()
  await using server = await startModelServer(() => say("done"))
  const install = await place.run(["extensions", "install", "../source"], {
    env,
    stdin: { pipe: "y\nhere\na-secret-token\n" }
  })
  expect(install).toMatchObject({ exitCode: 0, stdout: 'Extension "full" installed successfully and enabled.\n' })

  const run = await place.run(["-p", "/notes:add milk", "--approval-mode=yolo"], { server, env })
  expect(run).toMatchObject({ exitCode: 0, stdout: "done\n" })
  const request = JSON.stringify(server.generations[0]?.body)
  expect(request).toContain("Add this note: milk")
  expect(request).toContain("<extension_context>")
  expect(request).toContain("Context of version 1.0.0.")
  expect(request).toContain("More context.")
  const declared = JSON.stringify((server.generations[0]?.body as { tools: unknown } | undefined)?.tools)
  expect(declared).toContain('"read_file"')
  expect(declared).not.toContain('"google_web_search"')
  expect(declared).not.toContain('"write_file"')
  expect(declared).toContain("Notes kept here, and here")
  expect(request).not.toContain("a-secret-token")
  const servers = await place.run(["mcp", "list"], { env })
  expect(servers.stdout).toContain("notes (from full)")

  const rules = await place.run(
    ["policy", "test", "--tool", "write_file", "--args", '{"file_path":"x","content":""}'],
    { env }
  )
  expect(rules.exitCode).toBe(3)
  expect((await place.run(["policy", "test", "rm -rf build"], { env })).stdout).toContain(
    "extension full: excludeTools"
  )
  expect((await place.run(["tools", "list"], { env })).stdout).toContain("the extension full excludes it")

  for (const args of [["-e", "none"], ["--bare"]]) {
    await place.run(["-p", "hi", ...args], { server, env })
    expect(JSON.stringify(server.generations.at(-1)?.body)).not.toContain("Context of version")
  }
  await place.run(["extensions", "disable", "full", "--scope", "workspace"], { env })
  expect((await place.run(["-l"])).stdout).toContain("- full (off: it is disabled in this folder)")
})

test("a folder that is not trusted gives nothing to an extension, and none is installed from one without a yes", async () => {
  await using place = await withSource()
  await using server = await startModelServer(() => say("done"))
  const before = contentsBelow(place.home)
  const refused = await place.run(["extensions", "install", "../source", "--consent"], { env: untrusted })
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
  expect(refused.stderr).toContain("commands: /notes:add")
  expect(refused.stderr).toContain(`Installation aborted: the folder ${place.root}/source is not trusted.`)
  expect(contentsBelow(place.home)).toEqual(before)

  await place.run(["extensions", "install", "../source", "--consent"], {
    env,
    stdin: { pipe: "here\na-secret-token\n" }
  })
  await place.write("work/.env", "FULL_PLACE=elsewhere\n")
  const placeIn = async (variables: typeof untrusted | typeof env) =>
    JSON.parse((await place.run(["extensions", "list", "--json"], { env: variables })).stdout)[0].resolvedSettings[0]
  expect(await placeIn(env)).toMatchObject({ value: "elsewhere", scope: "workspace" })
  expect(await placeIn(untrusted)).toMatchObject({ value: "here", scope: "user" })
  const run = await place.run(["-p", "hi"], { server, env: untrusted })
  expect(run.stderr).toContain("is not trusted, so this is left out: environment files (.env)")
  const body = JSON.stringify(server.generations[0]?.body)
  expect(body).toContain("Context of version 1.0.0.")
  expect(body).not.toContain("elsewhere")
})

describe("at a terminal", () => {
  test("both folders and the extension are asked about; a no at any of them leaves nothing but the answers", async () => {
    await using place = await withSource()
    const before = contentsBelow(place.home)
    const first = startInTerminal(place, ["extensions", "install", "../source"], { env: untrusted })
    await first.shows("Do you want to trust this folder")
    first.type("n\r")
    await first.shows("Installation aborted")
    expect(await first.exitCode).toBe(1)
    expect(contentsBelow(place.home)).toEqual(before)

    const second = startInTerminal(place, ["extensions", "install", "../source"], { env: untrusted })
    await second.shows("Do you want to trust this folder")
    second.type("y\r")
    await second.shows("trust this workspace")
    second.type("y\r")
    await second.shows("Do you want to continue")
    second.type("n\r")
    await second.shows("Installation aborted")
    expect(await second.exitCode).toBe(1)
    expect(Object.keys(contentsBelow(place.home))).toEqual([".gemini", ".gemini/trustedFolders.json"])

    const third = startInTerminal(place, ["extensions", "install", "../source"], { env: untrusted })
    await third.shows("Do you want to continue")
    const wherePlace = third.showsNext("Value: ")
    third.type("y\r")
    await wherePlace
    const token = third.showsNext("Value: ")
    third.type("here\r")
    await token
    third.type("a-secret-token\r")
    await third.shows("installed successfully")
    expect(await third.exitCode).toBe(0)
    expect(third.screen()).not.toContain("a-secret-token")
    expect(existsSync(installed(place))).toBe(true)
  })

  test("a conversation lists them, and turns one off for itself", async () => {
    await using place = await withSource()
    await using server = await startModelServer(() => say("done"))
    await place.write("home/.gemini/settings.json", '{ "experimental": { "extensionReloading": true } }')
    await place.run(["extensions", "link", "../source", "--consent"], { env })
    const session = startInTerminal(place, [], { env, server })
    await session.shows("  Type your message or @path/to/file")
    session.type("/extensions\r")
    await session.shows("✓ full (1.0.0) - on")
    session.type("/extensions disable full --scope session\r")
    await session.shows('Extension "full" disabled for scope "session".')
    session.type("/extensions list\r")
    await session.shows("off: it is off for this session")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect((await place.run(["-l"], { env })).stdout).toBe("Installed extensions:\n- full\n")
  })
})

test("an installation that is killed half way is cleaned up by the next command", async () => {
  await using place = await withSource()
  const before = contentsBelow(place.home)
  const session = startInTerminal(place, ["extensions", "install", "../source"], { env })
  await session.shows("Do you want to continue")
  session.signal("SIGKILL")
  await session.exitCode
  expect(contentsBelow(place.home)).not.toEqual(before)
  expect((await place.run(["extensions", "list"], { env })).stdout).toBe("No extensions installed.\n")
  expect(contentsBelow(place.home)).toEqual(before)
})

test("a repository behind http is fetched, and a pipe that stays silent is not waited for without end", async () => {
  await using place = await withSource()
  const script = [
    "set -e; cd ../source; git init -q -b main; git add .",
    "git -c user.name=t -c user.email=t@example.com commit -qm 1; git clone -q --bare . ../served.git"
  ].join("; ")
  expect((await place.shell(script)).exitCode).toBe(0)
  await using server = gitServer(place.root)
  const done = await place.run(["extensions", "install", `${server.url}served.git`, "--consent", "--skip-settings"], {
    env
  })
  expect(done).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(readFileSync(join(installed(place), "../.gemini-extension-install.json"), "utf8"))).toEqual({
    source: `${server.url}served.git`,
    type: "git"
  })
  const closed = await place.run(["extensions", "config", "full"], { env, stdin: "closed" })
  expect(closed).toMatchObject({ exitCode: 0, stdout: "Nothing was changed.\n" })
})

/** `git http-backend` over these folders. */
const gitServer = (root: string) => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const child = Bun.spawn(["git", "http-backend"], {
        env: {
          PATH: process.env.PATH ?? "",
          GIT_PROJECT_ROOT: root,
          GIT_HTTP_EXPORT_ALL: "1",
          PATH_INFO: pathname,
          QUERY_STRING: search.slice(1),
          REQUEST_METHOD: request.method,
          CONTENT_TYPE: request.headers.get("content-type") ?? "",
          HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
          GIT_PROTOCOL: request.headers.get("git-protocol") ?? ""
        },
        stdin: request.method === "POST" ? new Blob([await request.bytes()]) : "ignore",
        stdout: "pipe"
      })
      const answer = Buffer.from(await child.stdout.bytes())
      const end = answer.indexOf("\r\n\r\n")
      const headers = new Headers()
      for (const line of answer.subarray(0, end).toString().split("\r\n")) {
        const [name = "", value = ""] = line.split(": ")
        headers.set(name, value)
      }
      const status = Number.parseInt(headers.get("status") ?? "200", 10)
      headers.delete("status")
      return new Response(answer.subarray(end + 4), { status, headers })
    }
  })
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) }
}
