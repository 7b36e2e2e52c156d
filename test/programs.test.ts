/** Prompts that are programs: `gemini run FILE`, and files that the kernel starts by their first line. */
import { describe, expect, test } from "bun:test"
import { chmod, mkdir, symlink } from "node:fs/promises"
import { dirname } from "node:path"
import { documentOf } from "./kit/documents.ts"
import { expectFailure } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { BINARY, newWorkspace, type Workspace } from "./kit/run-gemini.ts"

/** Executable, with a shebang that finds the binary of the test. */
const program = async (place: Workspace, path: string, text: string) => {
  const file = await place.write(path, `#!/usr/bin/env -S gemini run\n${text}`)
  await chmod(file, 0o755)
  return file
}

const onPath = { PATH: `${dirname(BINARY)}:/usr/local/bin:/usr/bin:/bin` }

/** The last user message of a request, without the surroundings of the session. */
const askedOf = (server: { readonly generations: ReadonlyArray<{ readonly body: unknown }> }, index = -1): string => {
  const body = server.generations.at(index)?.body as {
    contents: ReadonlyArray<{ parts: ReadonlyArray<{ text?: string }> }>
  }
  return (
    body.contents[0]?.parts
      .slice(1)
      .map((part) => part.text ?? "<data>")
      .join("|") ?? ""
  )
}

const TRANSLATE = `---
description: Translates what is piped in.
model: flash
system: You translate.
stdin: required
args:
  - name: language
    help: Into which one
  - name: tone
    default: plain
limits: {turns: 3, time: 2m}
tools: []
---

Translate into {{language}} ({{tone}}):
{{stdin}}
`

describe("a prompt that is a program", () => {
  test("is started by the kernel, takes arguments in order and by name, and standard input", async () => {
    await using server = await startModelServer([say("Hallo"), say("Hallo")])
    await using place = await newWorkspace()
    await program(place, "bin/translate", TRANSLATE)
    const first = await place.shell("echo hello | ../bin/translate German", { server, env: onPath })
    expect(first).toEqual({ stdout: "Hallo\n", stderr: "", exitCode: 0 })
    expect(askedOf(server)).toBe("Translate into German (plain):\nhello\n")
    expect(server.generations[0]?.model).toBe("gemini-3.5-flash")
    expect(JSON.stringify(server.generations[0]?.body)).toContain("You translate.")
    expect(JSON.stringify(server.generations[0]?.body)).not.toContain("functionDeclarations")

    const second = await place.shell(
      "echo hello | ../bin/translate --tone='it''s; $(id)' -m pro --language Latin -o json",
      {
        server,
        env: onPath
      }
    )
    expect(documentOf(second)).toMatchObject({ response: "Hallo", completion_reason: "success" })
    expect(askedOf(server)).toContain("Translate into Latin (its; $(id)):")
    expect(server.generations[1]?.model).not.toBe("gemini-3.5-flash")
  })

  test("tells its own help, and what is missing with its usage (42)", async () => {
    await using place = await newWorkspace()
    await program(place, "work/translate.prompt", TRANSLATE)
    const help = await place.run(["run", "translate.prompt", "--help"])
    expect(help.exitCode).toBe(0)
    for (const words of [
      "Translates what is piped in.",
      "Usage: gemini run translate.prompt <language> [tone] [options]",
      "Into which one",
      "(default: plain)"
    ]) {
      expect(help.stdout).toContain(words)
    }
    const piped = { stdin: { pipe: "x" } }
    const run = (...args: ReadonlyArray<string>) => place.run(["run", "translate.prompt", ...args], piped)
    expectFailure(await run(), 42, "the argument language is missing", "Usage: gemini run translate.prompt <language>")
    expectFailure(await run("a", "b", "c"), 42, '"c" is one argument too many')
    expectFailure(await run("a", "--nope"), 42, "there is no argument or option --nope")
    expectFailure(await run("a", "-p", "x"), 42, "--prompt cannot go with gemini run")
    expectFailure(
      await place.run(["run", "translate.prompt", "German"], { server: { url: "http://127.0.0.1:1" } }),
      42,
      "needs something on standard input"
    )
    expectFailure(await place.run(["run"]), 42, "needs a file")
    expectFailure(await place.run(["run", "missing.prompt"]), 42, "missing.prompt: no such file")
    expectFailure(await place.run(["run", "."]), 42, "is a folder")
    // More words than a file and an argument, and no such file: somebody asks the model.
    const prompt = await place.run(["run", "the", "tests", "please"])
    expectFailure(prompt, 41, "GEMINI_API_KEY")
  })

  test("brings files and outputs of commands in, each argument as one word, allowed as everywhere", async () => {
    await using server = await startModelServer([say("ok"), say("ok")])
    await using place = await newWorkspace()
    await place.write("work/notes.md", "the notes")
    await program(
      place,
      "work/look",
      `+++\n[args]\nname = "notes.md"\n+++\nSee @{{{name}}} and !{printf '<%s>' {{name}}} {{args}}`
    )
    const both = await place.run(["run", "look", "--approval-mode", "yolo"], { server })
    expect(both.exitCode).toBe(0)
    expect(askedOf(server)).toContain("the notes")
    expect(askedOf(server)).toContain("<notes.md>")
    const hostile = await place.run(
      ["run", "look", "--allowed-tools", "run_shell_command(printf)", "a'; touch pwned; '"],
      { server }
    )
    expect(hostile.exitCode).toBe(0)
    expect(askedOf(server)).toContain("<a'; touch pwned; '>")
    expect((await place.shell("ls pwned")).exitCode).not.toBe(0)
    await program(place, "work/asks", "!{touch made.txt} go")
    expectFailure(await place.run(["run", "asks"], { server }), 54, "asks may not run touch made.txt")
    expect(server.generations).toHaveLength(2)
  })

  test("can only lower what its caller allows", async () => {
    await using server = await startModelServer(({ body }) =>
      (body as { contents: ReadonlyArray<unknown> }).contents.length === 1
        ? ask(call("write_file", { file_path: "made.txt", content: "x" }))
        : say("done")
    )
    await using place = await newWorkspace()
    await program(place, "work/greedy", "---\napproval_mode: yolo\nlimits: {turns: 50}\n---\nWrite made.txt")
    const refused = await place.run(["run", "greedy"], { server })
    expect(refused.stderr).toContain("asks for approval mode yolo, and runs in default")
    expect((await place.shell("ls made.txt")).exitCode).not.toBe(0)
    const granted = await place.run(["run", "greedy", "--approval-mode", "yolo"], { server })
    expect(granted.exitCode).toBe(0)
    expect(await place.read("work/made.txt")).toBe("x")
    await program(place, "work/modest", "---\napproval_mode: plan\nlimits: {turns: 1}\n---\nWrite made.txt")
    const limited = await place.run(["run", "modest"], { server })
    expectFailure(limited, 53, "modest")
    const lower = await place.run(["run", "greedy"], { server, env: { GEMINI_MAX_TURNS: "1" } })
    expectFailure(lower, 53, "GEMINI_MAX_TURNS")
  })

  test("takes no tool and no tier that variables of its caller do not give; what is typed counts before both", async () => {
    await using server = await startModelServer(() => say("done"))
    await using place = await newWorkspace()
    await program(place, "work/greedy", "---\ntier: priority\ntools: [read_file, write_file, glob]\n---\nLook")
    const bodyOf = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
      expect((await place.run(["run", "greedy", "--approval-mode", "yolo", ...args], { server, env })).exitCode).toBe(0)
      return server.generations.at(-1)?.body as {
        readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<{ readonly name: string }> }>
        readonly serviceTier?: string
      }
    }
    const offered = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
      ((await bodyOf(args, env)).tools?.[0]?.functionDeclarations ?? []).map(({ name }) => name).toSorted()
    expect(await offered([], {})).toEqual(["glob", "read_file", "write_file"])
    expect(await offered([], { GEMINI_TOOLS: "read_file,list_directory" })).toEqual(["read_file"])
    expect(await offered([], { GEMINI_TOOLS: "list_directory" })).toEqual([])
    expect(await offered([], { GEMINI_TOOLS: "" })).toEqual([])
    expect(await offered(["--tools", "glob,list_directory"], { GEMINI_TOOLS: "" })).toEqual(["glob", "list_directory"])
    expect((await bodyOf([], {})).serviceTier).toBe("priority")
    expect((await bodyOf([], { GEMINI_TIER: "flex" })).serviceTier).toBe("flex")
    expect((await bodyOf(["--tier", "priority"], { GEMINI_TIER: "flex" })).serviceTier).toBe("priority")
  })

  test("in a folder that is not trusted it runs, but not its commands, and brings no rules", async () => {
    await using server = await startModelServer([say("ok"), say("ok")])
    await using place = await newWorkspace()
    const env = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
    const trusted = JSON.stringify({ [place.cwd]: "TRUST_FOLDER" })
    await place.write("home/.gemini/trustedFolders.json", trusted)
    await place.write(
      "stray/rules.toml",
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 100\n'
    )
    await program(place, "stray/commands", "!{echo hi} go")
    expectFailure(
      await place.run(["run", "../stray/commands", "-y"], { server, env }),
      55,
      "stray is not a trusted folder",
      "commands of its own"
    )
    await symlink("../stray/commands", `${place.cwd}/linked`)
    expectFailure(await place.run(["run", "linked"], { server, env }), 55, "stray is not a trusted folder")
    await program(place, "stray/rules", "---\npolicy: rules.toml\n---\ngo")
    const plain = await place.run(["run", "../stray/rules"], { server, env })
    expect(plain).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(plain.stderr).toContain("the policy of ../stray/rules does not count")
    await mkdir(`${place.cwd}/inside`)
    await program(place, "work/inside/commands", "!{ls inside} go")
    const allowed = ["--allowed-tools", "run_shell_command(ls)"]
    const inside = await place.run(["run", "inside/commands", ...allowed], { server, env })
    expect(inside).toMatchObject({ stdout: "ok\n", exitCode: 0 })
  })

  test("checks its answer against its schema, and says so in its format", async () => {
    await using server = await startModelServer([say('{"risk": 3}')])
    await using place = await newWorkspace()
    await program(
      place,
      "work/risk",
      "---\noutput_format: json\nschema: {type: object, properties: {risk: {type: integer}}, required: [risk]}\nstdin: none\ninclude: [data.txt]\n---\nHow risky?"
    )
    await place.write("work/data.txt", "some data")
    const result = await place.run(["run", "risk"], { server, stdin: "silent" })
    expect(documentOf(result)).toMatchObject({ completion_reason: "success" })
    expect(askedOf(server)).toContain("some data")
    const bad = await place.run(["run", "risk", "--max-turns", "none"])
    expect(documentOf(bad).error).toMatchObject({ message: expect.stringContaining("--max-turns") })
  })
})

describe("front matter that is wrong is told with its line and key", () => {
  test.each([
    ["---\nmodel: flash\nmodle: x\n---\nhi", "wrong:4: modle is not known: did you mean model?"],
    ["---\nlimits:\n  turns: soon\n---\nhi", "wrong:4: limits.turns cannot be"],
    ["---\nlimits: {trns: 3}\n---\nhi", "wrong:3: limits.trns is not known: did you mean turns?"],
    ["---\nstdin: perhaps\n---\nhi", "wrong:3: stdin: "],
    ["---\nargs: [model]\n---\nhi", "wrong:3: args.model: --model is an option of gemini"],
    ["---\nargs:\n  - a\n  - a\n---\nhi", "wrong:5: args.a: it is there twice"],
    ["---\nargs: [a]\n---\n\nhi {{b}}", "wrong:6: {{b}} is no argument"],
    ["---\nmodel: [\n---\nhi", "wrong:"],
    ["---\nmodel: x\nhi", "wrong:2: the --- here is not closed"],
    ['+++\ntier = "slow"\n+++\nhi', "wrong:3: tier: "],
    ["+++\n[limits]\nturnz = 1\n+++\nhi", "wrong:4: limits.turnz is not known"],
    ["+++\nmodel = \n+++\nhi", "wrong:3: "],
    ["hi !{ls", "wrong:2: !{ on line 2"],
    // What it names is sent or counts as a rule, so it lies beside it, wherever links lead.
    ["---\ninclude: [/etc/hostname]\n---\nhi", "wrong:3: include: /etc/hostname: it does not lie beside the file"],
    ["---\ninclude: [ok, ../home]\n---\nhi", "wrong:3: include: "],
    ['---\nsystem: "@../home/secret"\n---\nhi', "wrong:3: system: ../home/secret: it does not lie beside"],
    ["---\nschema: /etc/hostname\n---\nhi", "wrong:3: schema: /etc/hostname: it does not lie beside"],
    ["---\npolicy: [../home/p.toml]\n---\nhi", "wrong:3: policy: "],
    ["---\ninclude: [away]\n---\nhi", "wrong:3: include: away: it does not lie beside the file"],
    ["---\ninclude: [.env]\n---\nhi", "wrong:3: include: .env: it is closed"],
    ['---\nargs: [a]\n---\nhi !{echo "{{a}}"}', "wrong:5: {{a}} stands in quotes"],
    ["---\nargs: [a]\n---\nhi !{echo $'{{a}}'}", "wrong:5: {{a}} stands in quotes"],
    ["---\nargs: [a]\n---\nhi !{cat <<E\n{{a}}\nE\n}", "wrong:6: {{a}} stands in quotes or in a here-document"]
  ])("%j", async (text, words) => {
    await using place = await newWorkspace()
    await program(place, "work/wrong", text)
    await symlink(place.home, `${place.cwd}/away`)
    expectFailure(await place.run(["run", "wrong"]), 42, words)
  })
})
