/** `gemini policy`: the verdict of the engine that a run uses, without a model, a key or standard input. */

import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { testWith } from "./kit/needs.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const RULES = "home/.gemini/policies/mine.toml"
const DENY_PUSH = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 100
`

test("the exit code is the verdict", async () => {
  await using place = await newWorkspace()
  await place.write(RULES, DENY_PUSH)
  expect(await place.run(["policy", "test", "ls"])).toMatchObject({ stderr: "", exitCode: 0 })
  expect(await place.run(["policy", "test", "npm install"])).toMatchObject({ stderr: "", exitCode: 2 })
  const denied = await place.run(["policy", "test", "cd /tmp; bash -c 'git push'"])
  expect(denied).toMatchObject({ stderr: "", exitCode: 3 })
  expect(denied.stdout).toStartWith("deny: ")
  expect(denied.stdout).toContain(`[${place.root}/${RULES}:`)
})

test("stdin is not read and nothing is written, whatever is on it", async () => {
  await using place = await newWorkspace()
  for (const stdin of ["silent", "closed", { pipe: "rm -rf /\n" }] as const) {
    expect((await place.run(["policy", "test", "ls"], { stdin })).exitCode).toBe(0)
  }
  expect((await place.shell("find home work -mindepth 1", { cwd: place.root })).stdout).toBe("")
})

test("the tested command does not run", async () => {
  await using place = await newWorkspace()
  await place.run(["policy", "test", "--mode", "yolo", "touch made"])
  expect((await place.shell("ls")).stdout).toBe("")
})

testWith("jq")("a script can read the JSON form", async () => {
  await using place = await newWorkspace()
  const result = await place.shell(
    `"$GEMINI" policy test 'npm i' --json | jq -r '.verdict, .headless_verdict, .allow_with'`
  )
  expect(result.stdout).toBe('ask\ndeny\n--allowed-tools "run_shell_command(npm i)"\n')
})

test("the rule that a refusal suggests allows the call, pasted as it stands on standard error", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer((_, index) =>
    index % 2 === 0
      ? ask(call("run_shell_command", { command: "touch here" }), call("write_file", { file_path: "a", content: "b" }))
      : say("done")
  )
  const refused = await place.run(["-p", "go"], { server })
  const pasted = refused.stderr.split("\n").filter((line) => /^(?:\[\[rule\]\]|\w+ = .*)$/.test(line))
  expect(pasted.filter((line) => line === "[[rule]]")).toHaveLength(2)
  await place.write("home/.gemini/policies/allowed.toml", pasted.join("\n"))
  expect(await place.run(["-p", "go"], { server })).toEqual({ stdout: "done\n", stderr: "", exitCode: 0 })
  expect((await place.shell("ls")).stdout).toBe("a\nhere\n")
})

test("what the sandbox of a run here would add", async () => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/policies/sandbox.toml", '[commands.git]\nallowed_domains = ["github.com"]\n')
  const told = async (command: string, sandbox: string | undefined) => {
    const env = sandbox === undefined ? {} : { GEMINI_SANDBOX: sandbox }
    return (await place.run(["policy", "test", command], { env })).stdout.split("\n")
  }
  expect(await told("npm ci", undefined)).not.toContainEqual(expect.stringContaining("sandbox"))
  expect(await told("cat a", undefined)).toContain(
    "sandbox: the first that works of bwrap, landlock; it runs unasked, so it can only read, and has no network"
  )
  expect(await told("npm ci", "bwrap")).toEqual(
    expect.arrayContaining([
      "sandbox: bwrap, network off",
      "  a conversation asks before it opens: the network; changing ~/.npm"
    ])
  )
  expect(await told("git commit -m x", "landlock")).toContain("  sandbox.toml opens to it: connections to github.com")
  expect(await told("cat a", "nonsense")).toContainEqual(
    expect.stringContaining('there is no sandbox named "nonsense"')
  )
})

test("what it says of a headless call is what a run does", async () => {
  await using place = await newWorkspace()
  await place.write(RULES, DENY_PUSH)
  const flags = ["--allowed-tools", "run_shell_command(echo)", "--allowed-tools", "run_shell_command(touch)"]
  for (const [command, verdict] of [
    ["touch here", "allow"],
    ["echo a && touch there", "allow"],
    ["echo $(git push)", "deny"],
    ["rm -rf here", "deny"]
  ] as const) {
    const tested = await place.run(["policy", "test", "--headless", "--json", command, ...flags])
    expect({ command, verdict: JSON.parse(tested.stdout).verdict }).toEqual({ command, verdict })
    await using server = await startModelServer([ask(call("run_shell_command", { command })), say("done")])
    const run = await place.run(["-p", "go", "-o", "json", ...flags], { server })
    const denials = JSON.parse(run.stdout).permission_denials ?? []
    expect({ command, denied: denials.length > 0 }).toEqual({ command, denied: verdict === "deny" })
  }
})

test("trust is honoured", async () => {
  await using place = await newWorkspace()
  await place.write("work/.gemini/policies/p.toml", DENY_PUSH)
  const env = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
  const untrusted = await place.run(["policy", "test", "git push"], { env })
  expect(untrusted.exitCode).toBe(2)
  expect(untrusted.stderr).toContain("not trusted")
  expect((await place.run(["policy", "test", "git push", "--skip-trust"], { env })).exitCode).toBe(3)
})

test("bad input: one line on stderr, nothing on stdout, exit 1", async () => {
  await using place = await newWorkspace()
  for (const args of [
    ["test"],
    ["test", "--tool", "red_file"],
    ["test", "--tool", "glob", "--args", "{oops"],
    ["test", "ls", "--admin-policy", "/nowhere.toml"],
    ["lst"]
  ]) {
    const { exitCode, stderr, stdout } = await place.run(["policy", "--json", ...args])
    expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 1, stdout: "" })
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
  }
})

test("a command that is too long to be understood is not allowed", async () => {
  await using place = await newWorkspace()
  const args = JSON.stringify({ command: `echo ${"x".repeat(100_000)}` })
  const result = await place.run(["policy", "test", "--tool", "run_shell_command", "--args", args, "--headless"])
  expect(result.exitCode).toBe(3)
})

testWith("jq")("list shows the rules with their sources, and problems on stderr", async () => {
  await using place = await newWorkspace()
  await place.write(RULES, DENY_PUSH)
  const { exitCode, stderr, stdout } = await place.run(["policy", "list"])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  expect(stdout).toContain(`4.100 user      deny run_shell_command commandPrefix="git push" [${place.root}/${RULES}:`)
  expect(stdout).toContain("[default rules]")
  expect((await place.shell('"$GEMINI" policy list --json | jq -e "map(.source) | length > 20"')).exitCode).toBe(0)
  await place.write(RULES, `${DENY_PUSH}[[rule]]\ntoolName = 5\n`)
  const broken = await place.run(["policy", "list"])
  expect(broken.exitCode).toBe(1)
  expect(broken.stdout).toContain("git push")
  expect(broken.stderr).toContain(`${place.root}/${RULES}:`)
})

test("a reader that goes away is no failure", async () => {
  await using place = await newWorkspace()
  for (const line of ["policy list --json", "tools list --json"]) {
    const result = await place.shell(
      `set -o pipefail; "$GEMINI" ${line} | head -1; echo "\${PIPESTATUS[0]}"; (sleep 0.2; "$GEMINI" ${line}; echo "$?" >&2) | true`
    )
    expect(result).toEqual({ stdout: "[\n0\n", stderr: "0\n", exitCode: 0 })
  }
})
