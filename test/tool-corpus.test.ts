/**
 * The corpus of shell lines through the whole program: what is not allowed leaves no trace, and what is allowed is let
 * through. A run without a person turns every question into a refusal.
 *
 * Everything runs as somebody without rights, with a `PATH` on which nothing dangerous stands: should a line get through
 * that must not, the test fails and the machine stays.
 */

import { expect } from "bun:test"
import { mkdir, readdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { CORPUS } from "../src/policy/fixtures/corpus.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, type ToolRun, tool } from "./kit/tool-run.ts"

const PROGRAMS = ["bash", "sh", "touch", "cat", "ls", "head", "tail", "grep", "env", "timeout", "sleep", "mkdir", "git"]

const rules = (decision: string, ...prefixes: ReadonlyArray<string>): string =>
  `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(prefixes)}\ndecision = "${decision}"\npriority = 100\n`

/** Keeps the shell visible where no rule allows any of it. */
const VISIBLE = rules("allow", "no-such-program")

const SURROUNDINGS: Readonly<Record<string, { readonly args: ReadonlyArray<string>; readonly policy: string }>> = {
  default: { args: [], policy: VISIBLE },
  headless: { args: [], policy: VISIBLE },
  untrusted: { args: [], policy: VISIBLE },
  auto_edit: { args: ["--approval-mode", "auto_edit"], policy: VISIBLE },
  plan: { args: ["--approval-mode", "plan"], policy: "" },
  yolo: { args: ["--yolo"], policy: "" },
  guarded: { args: ["--yolo"], policy: rules("deny", "touch") },
  // Commands that only look need no rule where somebody could be asked; here they do.
  named: {
    args: [],
    policy: rules("allow", "git", "npm test", "echo", "touch", "sudo apt", "python3", "head", "tail")
  },
  shell: { args: ["--allowed-tools", "run_shell_command"], policy: "" }
}

/** Those whose verdicts are the same with nobody to ask, but for the questions. */
const SAME_HEADLESS = new Set(["yolo", "guarded", "named", "shell"])

const prepared = async (policy: string): Promise<Workspace> => {
  const place = await newWorkspace()
  await place.write("work/a.txt", "a\n")
  await place.write("work/src/b.txt", "b\n")
  await place.write("policy/rules.toml", policy)
  for (const folder of ["elsewhere", "bin"]) await mkdir(join(place.root, folder))
  await symlink(join(place.root, "elsewhere"), join(place.cwd, "out"))
  for (const name of PROGRAMS) await symlink(Bun.which(name) ?? "/nowhere", join(place.root, "bin", name))
  return place
}

/** All commands as calls of one turn. */
const runAll = async (
  place: Workspace,
  args: ReadonlyArray<string>,
  commands: ReadonlyArray<string>
): Promise<ToolRun> =>
  callTools(place, [commands.map((command) => tool("run_shell_command", { command }))], {
    args: [...args, "--policy", join(place.root, "policy")],
    start: (all, options) =>
      place.shell(
        place.unprivileged(
          `chmod -R a+rwX "${place.root}"`,
          `ulimit -u 1000; PATH="${join(place.root, "bin")}" exec "$GEMINI" ${all.join(" ")}`
        ),
        options
      )
  })

const commandsOf = (surroundings: string, isAllowed: boolean): ReadonlyArray<string> =>
  CORPUS.filter((group) => group.surroundings === surroundings && (group.verdict === "allow") === isAllowed).flatMap(
    ({ commands }) => [...commands]
  )

const REFUSALS = ["policy_violation", "tool_not_registered", "invalid_tool_params"]

testWith(...asNobody).each(Object.keys(SURROUNDINGS))(
  "%s: what is not allowed does not happen",
  async (surroundings) => {
    const { args, policy } = SURROUNDINGS[surroundings] ?? { args: [], policy: "" }
    const commands = commandsOf(surroundings, false)
    await using place = await prepared(policy)
    const before = await readdir(place.root, { recursive: true })
    const run = await runAll(place, args, commands)
    expect(run.result.exitCode).toBe(0)
    expect(run.answers).toHaveLength(commands.length)
    const passed = run.answers.flatMap(({ type }, index) => (REFUSALS.includes(type ?? "") ? [] : [commands[index]]))
    expect(passed).toEqual([])
    const after = await readdir(place.root, { recursive: true })
    const made = after.filter((name) => !before.includes(name) && !name.startsWith("home/.gemini"))
    expect(made).toEqual([])
    expect(await place.read("work/a.txt")).toBe("a\n")
  }
)

testWith(...asNobody).each([...SAME_HEADLESS])("%s: what is allowed is let through", async (surroundings) => {
  const { args, policy } = SURROUNDINGS[surroundings] ?? { args: [], policy: "" }
  const commands = commandsOf(surroundings, true)
  await using place = await prepared(policy)
  const run = await runAll(place, args, commands)
  expect(run.result.exitCode).toBe(0)
  const refused = run.answers.flatMap(({ error, type }, index) =>
    type === undefined ? [] : [{ command: commands[index], type, error }]
  )
  expect(refused).toEqual([])
  if (commands.includes("touch marker")) expect(await readdir(place.cwd)).toContain("marker")
  expect(run.end.permission_denials).toEqual([])
})
