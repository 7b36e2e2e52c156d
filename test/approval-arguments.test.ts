/** Every argument that a built-in tool takes is seen in the question about its call, or is known to change nothing. */
import { expect, test } from "bun:test"
import { builtinCatalogue } from "../src/tools/generated/declarations.ts"
import { LEFT_OUT } from "../src/tools/scheduling/ask-person.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

/** For each argument a value, and the words that give it away where the value itself is not what is shown. */
type Sample = Readonly<Record<string, unknown | { readonly value: unknown; readonly seenAs: string }>>

const seenAs = (value: unknown, words: string) => ({ value, seenAs: words })

const SAMPLES: Readonly<Record<string, Sample>> = {
  update_topic: { strategic_intent: "s-intent", title: "s-title", summary: "s-summary" },
  list_directory: { dir_path: "inner", ignore: ["s-ignored"], file_filtering_options: { respect_git_ignore: false } },
  read_file: { file_path: "file.txt", start_line: 1, end_line: 7701 },
  read_many_files: {
    include: ["s-include/**"],
    exclude: ["s-exclude"],
    recursive: false,
    useDefaultExcludes: false,
    file_filtering_options: { respect_gemini_ignore: false }
  },
  grep_search: {
    pattern: "s-pattern",
    dir_path: "inner",
    include_pattern: "s-included",
    exclude_pattern: "s-excluded",
    names_only: true,
    max_matches_per_file: 7702,
    total_max_matches: 7703,
    case_sensitive: true,
    fixed_strings: true,
    context: 77,
    after: 78,
    before: 79,
    no_ignore: true
  },
  glob: {
    pattern: "s-glob",
    dir_path: "inner",
    case_sensitive: true,
    respect_git_ignore: false,
    respect_gemini_ignore: false
  },
  replace: {
    file_path: "file.txt",
    instruction: "s-instruction",
    old_string: seenAs("old words", "-old words"),
    new_string: seenAs("s-new words", "+s-new words"),
    allow_multiple: seenAs(true, "+s-new words again")
  },
  write_file: { file_path: "made.txt", content: "s-content" },
  web_fetch: { prompt: "read https://s-host.example/page" },
  run_shell_command: {
    command: "touch s-command",
    description: "s-description",
    dir_path: seenAs("inner", "in the folder"),
    is_background: seenAs(true, "in the background"),
    delay_ms: 7704
  },
  list_background_processes: {},
  read_background_output: { pid: 7705, lines: 7706, delay_ms: 7707 },
  google_web_search: { query: "s-query" },
  save_memory: { fact: "s-fact" },
  write_todos: { todos: [{ description: "s-todo", status: "pending" }] },
  enter_plan_mode: { reason: "s-reason" },
  tracker_create_task: {
    title: "s-task",
    description: "s-words",
    type: "epic",
    parentId: "aaaaaa",
    dependencies: ["bbbbbb"]
  },
  tracker_update_task: {
    id: "aaaaaa",
    title: "s-task",
    description: "s-words",
    status: "blocked",
    dependencies: ["bbbbbb"]
  },
  tracker_get_task: { id: "aaaaaa" },
  tracker_list_tasks: { status: "blocked", type: "epic", parentId: "aaaaaa" },
  tracker_add_dependency: { taskId: "aaaaaa", dependencyId: "bbbbbb" },
  tracker_visualize: {}
}

/** What they do is to ask: their arguments are the question. */
const ASKING_THEMSELVES = new Set(["ask_user", "exit_plan_mode"])

const argumentOf = (given: unknown): unknown =>
  typeof given === "object" && given !== null && "seenAs" in given && "value" in given ? given.value : given

const wordsOf = (name: string, given: unknown): ReadonlyArray<string> => {
  if (typeof given === "object" && given !== null && "seenAs" in given) return [String(given.seenAs)]
  if (typeof given === "string") return [given]
  return typeof given === "object"
    ? [...JSON.stringify(given).matchAll(/[\w/*-]+/g)].map(([word]) => word)
    : [name, String(given)]
}

const catalogue = builtinCatalogue.filter(({ name, variant }) => variant === undefined && !ASKING_THEMSELVES.has(name))

test("there is a sample of every argument", () => {
  for (const { name, parameters } of catalogue)
    expect({ name, args: Object.keys(SAMPLES[name] ?? {}) }).toEqual({
      name,
      args: Object.keys(Object(parameters.properties))
    })
})

test.each(catalogue.map(({ name }) => name))("%s", async (name) => {
  await using place = await newWorkspace()
  await place.write("work/file.txt", "old words\nand\nold words again\n")
  await place.write("work/inner/x.txt", "x")
  await place.write(
    "home/.gemini/policies/ask.toml",
    `[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 999\n`
  )
  await place.write("home/.gemini/settings.json", '{ "experimental": { "taskTracker": true } }')
  const sample = SAMPLES[name] ?? {}
  const args = Object.fromEntries(Object.entries(sample).map(([key, given]) => [key, argumentOf(given)]))
  await using server = await startModelServer([ask(call(name, args)), say("end of it")])
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, columns: 200 })
  await session.shows("  Type your message or @path/to/file")
  session.type("go\r")
  await session.shows("Allow? ")
  const question = session.plain()
  session.type("n\r")
  await session.shows("end of it")
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  const harmless = LEFT_OUT[name]?.harmless ?? {}
  for (const [argument, given] of Object.entries(sample)) {
    if (Object.hasOwn(harmless, argument)) continue
    for (const words of wordsOf(argument, given)) expect(question).toContain(words)
  }
})
