/** Whole runs in a sandbox: what the model's calls can do, and what they are told. */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { newWorkspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const shell = (command: string, more: object = {}) => tool("run_shell_command", { command, ...more })

const BACKENDS = ["bwrap", "landlock"]

describe.each(BACKENDS)("a run in %s", (backend) => {
  const args = [`--sandbox=${backend}`, "--yolo"]

  test("commands write in the workspace and nowhere else, and know where they are", async () => {
    await using place = await newWorkspace()
    const { answers, events, result } = await callTools(
      place,
      inTurns(
        shell("echo hello >made.txt && cat made.txt"),
        shell(`echo x >${place.root}/outside.txt`),
        shell("echo $SANDBOX"),
        shell("exit 3")
      ),
      { args }
    )
    expect(answers[0]?.output).toContain("Output: hello")
    expect(await place.read("work/made.txt")).toBe("hello\n")
    expect(existsSync(join(place.root, "outside.txt"))).toBe(false)
    expect(answers[2]?.output).toContain(`Output: ${backend}`)
    expect(answers[3]?.output).toContain("Exit Code: 3")
    expect(result.stderr).not.toContain("no sandbox")
    expect(result.stderr).toContain(`[INFO] commands run in a sandbox: ${backend}, network off, writable: ${place.cwd}`)
    expect(result.exitCode).toBe(0)
    expect(events[0]).toMatchObject({
      type: "init",
      sandbox: { backend, network: "off", writable: [place.cwd], strength: backend === "bwrap" ? "full" : "partial" }
    })
  })

  test("a command that prints more than its reader takes at once waits for it", async () => {
    await using place = await newWorkspace()
    const { answers } = await callTools(place, inTurns(shell("seq 1 2600000"), shell("seq 1 2600000; true >made")), {
      args
    })
    for (const { output } of answers) {
      expect(output).toContain("\n2600000\n")
      expect(output).not.toContain("Exit Code")
    }
  })

  test("neither secrets of the project nor those of the home folder are read", async () => {
    await using place = await newWorkspace()
    await place.write("home/.ssh/id_rsa", "MARKER-KEY")
    await place.write("work/deep/er/.env", "MARKER-ENV")
    const { answers } = await callTools(
      place,
      inTurns(shell("cat ~/.ssh/id_rsa"), shell("cat deep/er/.env"), shell("grep -r MARKER . ~")),
      { args }
    )
    expect(JSON.stringify(answers)).not.toContain("MARKER-")
  })

  test("the tools for files keep to the same roots", async () => {
    await using place = await newWorkspace()
    const { answers } = await callTools(
      place,
      inTurns(
        tool("write_file", { file_path: "inside.txt", content: "in" }),
        tool("write_file", { file_path: join(place.root, "outside.txt"), content: "out" }),
        tool("read_file", { file_path: ".env" }),
        tool("grep_search", { pattern: "in", dir_path: "." })
      ),
      { args }
    )
    expect(await place.read("work/inside.txt")).toBe("in")
    expect(existsSync(join(place.root, "outside.txt"))).toBe(false)
    expect(answers[1]?.status).toBe("error")
    expect(answers[2]?.status).toBe("error")
    expect(answers[3]?.output).toContain("inside.txt")
  })

  test("a command has what sandbox.toml opens to it, and hands it to no other", async () => {
    await using place = await newWorkspace()
    await place.write("extra/kept", "kept\n")
    await place.write(
      "home/.gemini/policies/sandbox.toml",
      `[commands.tee]\nallowed_paths = ["${place.root}/extra"]\n[commands.readlink]\nallow_network = true\n`
    )
    const extra = join(place.root, "extra")
    const { answers, result } = await callTools(
      place,
      inTurns(
        shell(`echo one | tee ${extra}/one`),
        shell(`echo two | tee ${extra}/two | cat`),
        shell(`X=tee; echo three | $X ${extra}/three`),
        shell("readlink /proc/self/ns/net; true >made")
      ),
      { args }
    )
    expect(readdirSync(extra).toSorted()).toEqual(["kept", "one"])
    expect(answers[3]?.output).toContain(readlinkSync("/proc/self/ns/net"))
    expect(result.stderr).not.toContain("sandbox.toml")
  })

  test("a background command is confined, and ends with the run", async () => {
    await using place = await newWorkspace()
    const { answers } = await callTools(
      place,
      inTurns(
        shell(`echo x >${place.root}/outside.txt; echo began; sleep 300`, { is_background: true, delay_ms: 2000 }),
        tool("list_background_processes", {})
      ),
      { args }
    )
    expect(answers[0]?.output).toContain("began")
    expect(answers[1]?.output).toContain("RUNNING")
    expect(existsSync(join(place.root, "outside.txt"))).toBe(false)
  })
})

describe("what runs unasked", () => {
  test("is read-only and alone, also without a wish for a sandbox", async () => {
    await using place = await newWorkspace()
    await place.write("work/notes.txt", "to be read\n")
    const { answers } = await callTools(
      place,
      inTurns(shell("cat notes.txt"), shell("printenv TMPDIR"), shell("ps -e | wc -l")),
      { args: ["--yolo"] }
    )
    expect(answers[0]?.output).toContain("to be read")
    expect(answers[1]?.output).not.toContain(join(place.root, "tmp"))
    // What tells of the machine still does.
    expect(Number(/Output: (\d+)/.exec(answers[2]?.output ?? "")?.[1])).toBeGreaterThan(8)
  })

  test("is led to nothing else by links that are turned after the decision", async () => {
    await using place = await newWorkspace()
    for (const [path, text] of [
      ["work/safe/notes.txt", "harmless"],
      ["work/deep/.env", "MARKER-ENV"],
      ["outside/notes.txt", "MARKER-OUTSIDE"],
      ["home/.ssh/notes.txt", "MARKER-KEY"]
    ] as const)
      await place.write(path, text)
    const turn = (name: string, target: string) => {
      rmSync(join(place.cwd, name), { force: true })
      symlinkSync(target, join(place.cwd, name))
    }
    const links = { one: "../outside", two: `${place.root}/home/.ssh`, three: "deep" }
    for (const name of Object.keys(links)) turn(name, "safe")
    turn("four", "safe/notes.txt")
    // The decision is over when the command waits.
    const waits = `until test -e ${place.cwd}/go; do sleep 0.05; done`
    const reads = `cat one/notes.txt two/notes.txt three/notes.txt four; grep -h MARKER one/* two/* four`
    const turned = (async () => {
      while (!Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString().includes(waits)) await Bun.sleep(20)
      for (const [name, target] of Object.entries(links)) turn(name, target)
      turn("four", "deep/.env")
      await place.write("work/go", "")
    })()
    const { answers } = await callTools(place, inTurns(shell("cat one/notes.txt four"), shell(`${waits}; ${reads}`)), {
      args: ["--yolo"]
    })
    await turned
    expect(answers[0]?.output).toContain("harmlessharmless")
    expect(answers[1]?.output).toContain("No such file or directory")
    expect(answers[1]?.output).not.toMatch(/MARKER|harmless/)
  })

  test("runs as it is where the setting says so", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "security": { "sandboxUnasked": false } }')
    const { answers } = await callTools(place, inTurns(shell("printenv TMPDIR")), { args: ["--yolo"] })
    expect(answers[0]?.output).toContain(`Output: ${join(place.root, "tmp")}`)
  })
})
