/** Tools that change the conversation rather than the project: memory, todos, topic, questions, plans, tasks. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { newWorkspace } from "./kit/run-gemini.ts"
import { callTools, expectAnswer, inTurns, tool } from "./kit/tool-run.ts"

describe("save_memory", () => {
  test("adds facts to the section of the user's file, one line each", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/GEMINI.md", "# Mine\n\nBe brief.\n")
    const run = await callTools(
      place,
      inTurns(
        tool("save_memory", { fact: "likes tea" }),
        tool("save_memory", { fact: "- ## not a heading\n# nor this" }),
        tool("save_memory", { fact: "  " }),
        tool("save_memory", {})
      ),
      { args: ["--allowed-tools", "save_memory"] }
    )
    expect(run.answers.map(({ type }) => type)).toEqual([
      undefined,
      undefined,
      "invalid_tool_params",
      "invalid_tool_params"
    ])
    const content = await place.read("home/.gemini/GEMINI.md")
    expect(content).toStartWith("# Mine\n\nBe brief.\n\n## ")
    expect(content).toContain("Memories\n- likes tea\n- not a heading # nor this\n")
    expect(content.match(/^#/gm)).toHaveLength(2)
  })

  test("is not offered where it would have to ask", async () => {
    await using place = await newWorkspace()
    const run = await callTools(place, inTurns(tool("save_memory", { fact: "x" })))
    expectAnswer(run.answers[0], { type: "tool_not_registered" })
    expect(run.end.permission_denials).toMatchObject([
      { tool_name: "save_memory", allow_with: "--allowed-tools save_memory" }
    ])
    expect(existsSync(join(place.home, ".gemini/GEMINI.md"))).toBe(false)
  })
})

test("write_todos gives the list back, and refuses lists that say nothing clear", async () => {
  await using place = await newWorkspace()
  const todo = (description: string, status: string, more: object = {}) => ({ description, status, ...more })
  const run = await callTools(
    place,
    inTurns(
      tool("write_todos", {
        todos: [todo("read", "completed"), todo("write", "in_progress"), todo("test", "blocked")]
      }),
      tool("write_todos", { todos: [] }),
      tool("write_todos", { todos: [todo("a", "in_progress"), todo("b", "in_progress")] }),
      tool("write_todos", { todos: [todo(" ", "pending")] }),
      tool("write_todos", { todos: [todo("a", "later")] }),
      tool("write_todos", { todos: [todo("a", "pending", { priority: 1 })] }),
      tool("write_todos", { todos: "all" })
    )
  )
  const [list, empty, ...wrong] = run.answers
  expect(list?.output).toEndWith("\n1. [completed] read\n2. [in_progress] write\n3. [blocked] test")
  expectAnswer(empty, { status: "success" })
  expect(wrong.map(({ type }) => type)).toEqual(Array(5).fill("invalid_tool_params"))
  await place.write("home/.gemini/settings.json", '{ "useWriteTodos": false }')
  expect((await callTools(place, [])).offered).not.toContain("write_todos")
})

test("update_topic comes first in its turn, and tells what changed", async () => {
  await using place = await newWorkspace()
  await place.write("work/a.txt", "content")
  const run = await callTools(place, [
    [
      tool("read_file", { file_path: "a.txt" }),
      tool("update_topic", { strategic_intent: "look around", title: "Survey", summary: "nothing yet" })
    ],
    [tool("update_topic", { strategic_intent: "go on", title: "Survey" })],
    [tool("update_topic", { title: "No intent" })]
  ])
  const [read, topic, same, wrong] = run.answers
  expect([read?.name, topic?.name]).toEqual(["read_file", "update_topic"])
  expect(topic?.output).toBe("Topic: Survey\nSummary: nothing yet\nIntent: look around")
  expect(same?.output).toBe("Intent: go on")
  expectAnswer(wrong, { type: "invalid_tool_params" })
})

test("ask_user is not offered to a run without a person, in no mode", async () => {
  await using place = await newWorkspace()
  const question = { question: "Which?", header: "Pick", type: "yesno" }
  for (const args of [[], ["--yolo"], ["--allowed-tools", "ask_user"]]) {
    const run = await callTools(place, inTurns(tool("ask_user", { questions: [question] })), { args })
    expect(run.offered).not.toContain("ask_user")
    expect(run.result.exitCode).toBe(0)
    expectAnswer(run.answers[0], { type: "tool_not_registered" })
    expect(run.end.permission_denials).toMatchObject([{ tool_name: "ask_user" }])
  }
})

describe("plan mode", () => {
  test("entered, planned in, left, carried out", async () => {
    await using place = await newWorkspace()
    const makeFile = tool("write_file", { file_path: "made.txt", content: "x" })
    const run = await callTools(
      place,
      inTurns(
        tool("exit_plan_mode", { plan_filename: "p.md" }),
        tool("enter_plan_mode", { reason: "it is large" }),
        tool("enter_plan_mode"),
        makeFile,
        tool("exit_plan_mode", { plan_filename: "p.md" }),
        tool("write_file", { file_path: "p.md", content: "# Plan\n1. make the file\n" }),
        tool("exit_plan_mode", { plan_filename: "../../p.md" }),
        tool("exit_plan_mode", { plan_filename: "p.md" }),
        makeFile
      ),
      { args: ["--approval-mode", "auto_edit"] }
    )
    const [early, entered, twice, refused, missing, planned, outside, left, made] = run.answers
    expectAnswer(early, { status: "error" })
    expect(entered?.output).toContain("exit_plan_mode")
    expectAnswer(twice, { status: "error" })
    expectAnswer(refused, { status: "error" })
    expectAnswer(missing, { status: "success", output: expect.stringContaining("There is no plan file") })
    expectAnswer(planned, { status: "success" })
    expectAnswer(outside, { type: "invalid_tool_params", error: expect.stringContaining("Access denied") })
    expect(left?.output).toContain("p.md")
    expect(left?.output).toContain("Nobody was asked")
    expectAnswer(made, { status: "success" })
    expect(existsSync(join(place.cwd, "made.txt"))).toBe(true)
    expect(existsSync(join(place.cwd, "p.md"))).toBe(false)
  })

  test.each([
    ["docs/plans", true],
    ["../elsewhere", false],
    ["/etc/plans", false],
    ["..", false]
  ])("plans go where the settings say (%s), inside the project", async (directory, isTaken) => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", JSON.stringify({ general: { plan: { directory: directory } } }))
    const { answers, result } = await callTools(place, inTurns(tool("enter_plan_mode")))
    const own = isTaken ? join(place.cwd, directory) : join(place.home, ".gemini/tmp/work/")
    expect(answers[0]?.output).toContain(` in ${own}`)
    expect(result.stderr.includes(`general.plan.directory: ${directory} is outside the project; ignored`)).toBe(
      !isTaken
    )
  })

  /** Everything that a plan in headless hands could be made to grant. */
  const afterwards = inTurns(
    tool("enter_plan_mode"),
    tool("write_file", { file_path: "p.md", content: "# Plan\n" }),
    tool("exit_plan_mode", { plan_filename: "p.md" }),
    tool("run_shell_command", { command: "touch ran.txt" }),
    tool("write_file", { file_path: "made.txt", content: "x" })
  )

  test.each([
    ["default", [], { ran: false, made: false }],
    ["auto_edit", [], { ran: false, made: true }],
    ["yolo", [], { ran: true, made: true }],
    // There is nothing to go back to.
    ["plan", [], { ran: false, made: false }],
    // The command of the prompt changed the mode in between.
    ["default", ["-p", "/plan go"], { ran: false, made: false }],
    ["auto_edit", ["-p", "/plan go"], { ran: false, made: true }]
  ] as const)("left without a person, it gives nothing that %s %j did not", async (mode, more, expected) => {
    await using place = await newWorkspace()
    const run = await callTools(place, afterwards, { args: [...more, "--approval-mode", mode] })
    const [left] = run.answers.filter(({ name }) => name === "exit_plan_mode")
    expect(left?.output).toStartWith("Nobody ")
    expect(left?.output).not.toMatch(/agreed|approved/)
    expect(/the plan in \S+ is approved|an approved plan/.test(JSON.stringify(run.bodies))).toBe(false)
    expect({ ran: existsSync(join(place.cwd, "ran.txt")), made: existsSync(join(place.cwd, "made.txt")) }).toEqual(
      expected
    )
  })

  test("nor does a sub-agent that plans", async () => {
    await using place = await newWorkspace()
    await place.write(
      "home/.gemini/agents/planner.md",
      "---\nname: planner\ndescription: plans\n---\nPlan, then act.\n"
    )
    const run = await callTools(place, [
      [tool("invoke_agent", { agent_name: "planner", prompt: "go" })],
      ...afterwards,
      [tool("complete_task", { result: "done" })],
      [tool("run_shell_command", { command: "touch later.txt" })]
    ])
    expect(run.result.exitCode).toBe(0)
    expect(JSON.stringify(run.bodies).includes("Nobody was asked about the plan")).toBe(true)
    for (const file of ["ran.txt", "made.txt", "later.txt"]) expect(existsSync(join(place.cwd, file))).toBe(false)
  })

  test("which tools are offered changes with the mode", async () => {
    await using place = await newWorkspace()
    const offeredIn = async (...args: ReadonlyArray<string>) => (await callTools(place, [], { args })).offered
    const normal = await offeredIn()
    expect(normal).toContain("enter_plan_mode")
    expect(normal).not.toContain("exit_plan_mode")
    const plan = await offeredIn("--approval-mode", "plan")
    expect(plan).toContain("exit_plan_mode")
    expect(plan).toContain("write_file")
    expect(plan).not.toContain("enter_plan_mode")
    await place.write("home/.gemini/settings.json", '{ "general": { "plan": { "enabled": false } } }')
    expect(await offeredIn()).not.toContain("enter_plan_mode")
  })

  test("plans may be kept in a folder of the project", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "general": { "plan": { "directory": "docs/plans" } } }')
    const run = await callTools(place, inTurns(tool("write_file", { file_path: "p.md", content: "# Plan\n" })), {
      args: ["--approval-mode", "plan"]
    })
    expectAnswer(run.answers[0], { status: "success" })
    expect(await place.read("work/docs/plans/p.md")).toBe("# Plan\n")
  })
})

describe("the task tracker", () => {
  test("is there when its setting is on", async () => {
    await using place = await newWorkspace()
    expect((await callTools(place, [])).offered.filter((name) => name.startsWith("tracker_"))).toEqual([])
    await place.write("home/.gemini/settings.json", '{ "experimental": { "taskTracker": true } }')
    const idIn = (output: string | undefined) => /\[([0-9a-f]{6})\]/.exec(output ?? "")?.[1] ?? "none"
    let first = ""
    let second = ""
    const run = await callTools(place, [
      [tool("tracker_create_task", { title: "Build", description: "all of it", type: "epic" })],
      (answers) => {
        first = idIn(answers[0]?.output)
        return [tool("tracker_create_task", { title: "Test", description: "it", type: "task", parentId: first })]
      },
      (answers) => {
        second = idIn(answers[1]?.output)
        return [tool("tracker_add_dependency", { taskId: first, dependencyId: second })]
      },
      () => [tool("tracker_add_dependency", { taskId: second, dependencyId: first })],
      () => [tool("tracker_update_task", { id: first, status: "closed" })],
      () => [tool("tracker_update_task", { id: second, status: "closed" })],
      () => [tool("tracker_get_task", { id: second }), tool("tracker_list_tasks", { status: "open" })],
      [tool("tracker_visualize"), tool("tracker_get_task", { id: "../../x" })],
      [tool("tracker_create_task", { title: "Lost", description: "x", type: "task", parentId: "abcdef" })]
    ])
    const [, child, linked, circle, early, closed, got, listed, drawn, traversal, orphan] = run.answers
    expect(child?.output).toContain("Test (open)")
    expectAnswer(linked, { status: "success" })
    expectAnswer(circle, { type: "execution_failed" })
    expectAnswer(early, { type: "execution_failed" })
    expectAnswer(closed, { status: "success" })
    expect(got?.output).toContain('"status": "closed"')
    expect(listed?.output).toContain(`- [${first}] Build (open)`)
    expect(listed?.output).not.toContain(second)
    expect(drawn?.output).toContain("[EPIC]")
    expect(drawn?.output).toContain("✅ [TASK]")
    expectAnswer(traversal, { type: "execution_failed", error: expect.stringContaining("not a task id") })
    expectAnswer(orphan, { type: "execution_failed" })
    const files = (await readdir(place.home, { recursive: true })).filter((name) => name.endsWith(`${first}.json`))
    expect(files).toHaveLength(1)
    expect(await readdir(join(place.home, dirname(files[0] ?? "")))).toHaveLength(2)
  })
})
