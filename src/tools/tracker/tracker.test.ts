import { describe, expect, test } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { runPrepared } from "../../../test/kit/edit-room.ts"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { provideTool, type Tool } from "../tool.ts"
import { TaskId, type TrackerTask, tasksAsTodos, tasksAsTree } from "./task.ts"
import { layer, type TaskTracker } from "./task-tracker.ts"
import {
  trackerAddDependency,
  trackerCreateTask,
  trackerGetTask,
  trackerListTasks,
  trackerUpdateTask,
  trackerVisualize
} from "./tracker.tool.ts"

const setup = Effect.gen(function* () {
  const directory = join(yield* tempFolder(), "session/tracker")
  const services = yield* Effect.provide(Effect.context<TaskTracker>(), layer(directory))
  const call = (tool: Tool<TaskTracker>, args: object) =>
    provideTool(tool, services)
      .prepare(args)
      .pipe(
        Effect.flatMap(runPrepared),
        Effect.map((output) => String(output.forModel)),
        Effect.catchTag("ToolFailure", (failure) => Effect.succeed(`${failure.type}: ${failure.message}`))
      )
  const create = (title: string, more: object = {}) =>
    Effect.map(
      call(trackerCreateTask, { title, description: "d", type: "task", ...more }),
      (text) => /[0-9a-f]{6}/.exec(text)?.[0] ?? text
    )
  return { call, create, directory }
})

describe("the task tracker", () => {
  it.live("keeps one file for each task", () =>
    Effect.gen(function* () {
      const { call, create, directory } = yield* setup
      const id = yield* create("first")
      expect(readdirSync(directory)).toEqual([`${id}.json`])
      expect(JSON.parse(yield* call(trackerGetTask, { id }))).toEqual({
        id,
        title: "first",
        description: "d",
        type: "task",
        status: "open",
        dependencies: []
      })
      expect(yield* call(trackerListTasks, {})).toBe(`- [${id}] first (open)`)
      expect(yield* call(trackerListTasks, { status: "closed" })).toBe("There are no such tasks.")
      expect(yield* call(trackerGetTask, { id: "ffffff" })).toBe("There is no task ffffff.")
    })
  )

  it.live("closes a task only when what it depends on is closed", () =>
    Effect.gen(function* () {
      const { call, create } = yield* setup
      const first = yield* create("first")
      const second = yield* create("second", { dependencies: [first] })
      expect(yield* call(trackerUpdateTask, { id: second, status: "closed" })).toContain("cannot be closed")
      yield* call(trackerUpdateTask, { id: first, status: "closed" })
      expect(yield* call(trackerUpdateTask, { id: second, status: "closed" })).toStartWith("Updated the task")
    })
  )

  it.live("refuses circles, links to itself, unknown parents and dependencies", () =>
    Effect.gen(function* () {
      const { call, create } = yield* setup
      const first = yield* create("first")
      const second = yield* create("second", { dependencies: [first] })
      const third = yield* create("third", { dependencies: [second] })
      for (const [tool, args, words] of [
        [trackerAddDependency, { taskId: first, dependencyId: third }, "circle"],
        [trackerAddDependency, { taskId: first, dependencyId: first }, "itself"],
        [trackerUpdateTask, { id: first, dependencies: [third] }, "circle"],
        [trackerUpdateTask, { id: first, dependencies: ["ffffff"] }, "no task ffffff"],
        [trackerCreateTask, { title: "x", description: "", type: "bug", parentId: "ffffff" }, "no parent task"]
      ] as const) {
        expect(yield* call(tool, args)).toStartWith("execution_failed: ")
        expect(yield* call(tool, args)).toContain(words)
      }
    })
  )

  it.live("an id never becomes a path before it is checked", () =>
    Effect.gen(function* () {
      const { call, create, directory } = yield* setup
      yield* create("first")
      writeFileSync(join(directory, "../secret.json"), "{}")
      for (const id of ["../secret", "", "ABCDEF", "12345", "1234567"]) {
        expect(yield* call(trackerGetTask, { id })).toContain("is not a task id")
      }
      expect(
        yield* call(trackerCreateTask, { title: "x", description: "", type: "bug", parentId: "../a" })
      ).toStartWith("invalid_tool_params")
    })
  )

  it.live("files that are not tasks are left alone", () =>
    Effect.gen(function* () {
      const { call, create, directory } = yield* setup
      const id = yield* create("first")
      writeFileSync(join(directory, "aaaaaa.json"), "not JSON")
      writeFileSync(join(directory, "notes.txt"), "hello")
      expect(yield* call(trackerListTasks, {})).toBe(`- [${id}] first (open)`)
      expect(yield* call(trackerVisualize, {})).toBe(`⭕ [TASK] ${id} first`)
    })
  )
})

describe("views of tasks", () => {
  const task = (id: string, more: Partial<TrackerTask> = {}): TrackerTask => ({
    id: TaskId.make(id),
    title: id,
    description: "",
    type: "task",
    status: "open",
    dependencies: [],
    ...more
  })
  const parent = task("00000a", { type: "epic", status: "in_progress" })
  const tasks = [
    task("000001", { status: "closed" }),
    parent,
    task("000002", { parentId: parent.id, status: "blocked", dependencies: [TaskId.make("000001")] }),
    task("000003")
  ]

  test("the tree shows children, icons and dependencies", () => {
    expect(tasksAsTree(tasks).split("\n")).toEqual([
      "🚧 [EPIC] 00000a 00000a",
      "  ⛔ [TASK] 000002 000002",
      "    Depends on: 000001 000001",
      "⭕ [TASK] 000003 000003",
      "✅ [TASK] 000001 000001"
    ])
  })

  test("the todo list begins with what is being done", () => {
    expect(tasksAsTodos(tasks).map((todo) => `${todo.status} ${todo.description}`)).toEqual([
      "in_progress [00000a] 00000a",
      "blocked   [000002] 000002",
      "pending [000003] 000003",
      "completed [000001] 000001"
    ])
  })

  test("a circle of parents is marked", () => {
    const circle = [
      task("000001", { parentId: TaskId.make("000002") }),
      task("000002", { parentId: TaskId.make("000001") })
    ]
    expect(tasksAsTree(circle)).toBe("[CYCLE DETECTED] 000001 000001\n[CYCLE DETECTED] 000002 000002")
  })
})
