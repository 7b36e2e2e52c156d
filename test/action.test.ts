/**
 * `action.yml`, step by step as a runner of GitHub would do it: in bash, with the variables and files of a runner.
 * Steps that use other actions are left out; what they would give stands in the variables.
 */
import { expect, test } from "bun:test"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Schema } from "effect"
import { parse } from "yaml"
import { googleError } from "./kit/google-errors.ts"
import { type ModelServer, startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { BINARY, newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const Action = Schema.Struct({
  inputs: Schema.Record({ key: Schema.String, value: Schema.Struct({ default: Schema.optional(Schema.String) }) }),
  outputs: Schema.Record({ key: Schema.String, value: Schema.Struct({ value: Schema.String }) }),
  runs: Schema.Struct({
    steps: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        if: Schema.optional(Schema.String),
        uses: Schema.optional(Schema.String),
        run: Schema.optional(Schema.String),
        env: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
      })
    )
  })
})

const action = Schema.decodeUnknownSync(Action)(
  parse(await readFile(resolve(import.meta.dir, "../action.yml"), "utf8"))
)

type Inputs = Readonly<Record<string, string>>

/** The few forms of expressions that the file uses. */
const filled = (text: string, inputs: Inputs): string =>
  text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const [, name = "", isTest] = /^inputs\.(\w+)( != '')?$/.exec(expression) ?? []
    if (name !== "") return isTest === undefined ? (inputs[name] ?? "") : String((inputs[name] ?? "") !== "")
    if (/^(github|steps)\./.test(expression)) return ""
    throw new Error(`no runner here knows \${{ ${expression} }}`)
  })

const runAction = async (place: Workspace, given: Inputs, options: { env?: Inputs; server?: ModelServer } = {}) => {
  const defaults = Object.entries(action.inputs).map(([name, { default: value = "" }]) => [name, filled(value, {})])
  const inputs: Inputs = { ...Object.fromEntries(defaults), gemini_cli_version: "preinstalled", ...given }
  const files = { GITHUB_OUTPUT: "output", GITHUB_PATH: "path", GITHUB_STEP_SUMMARY: "summary" }
  const runner = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(place.root, file)]))
  for (const file of Object.values(runner)) await writeFile(file, "", { flag: "a" })
  const bin = join(place.root, "bin")
  await mkdir(bin, { recursive: true })
  await symlink(BINARY, join(bin, "gemini")).catch(() => undefined)
  let stdout = ""
  for (const step of action.runs.steps) {
    if (step.run === undefined) continue
    if (step.if !== undefined && filled(step.if, inputs) !== "true") continue
    const variables = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, inputs)] as const)
    const added = (await readFile(join(place.root, "path"), "utf8")).trim()
    const result = await place.shell(step.run, {
      ...(options.server === undefined ? {} : { server: options.server }),
      env: {
        PATH: `${added === "" ? bin : added}:${process.env.PATH}`,
        RUNNER_TEMP: place.root,
        CI: "true",
        GITHUB_ACTIONS: "true",
        ...runner,
        ...options.env,
        ...Object.fromEntries(variables)
      }
    })
    stdout += result.stdout
    if (result.exitCode !== 0) return { failedAt: step.name, ...result, stdout, outputs: await outputsOf(place) }
  }
  return { failedAt: undefined, exitCode: 0, stdout, stderr: "", outputs: await outputsOf(place) }
}

const outputsOf = async (place: Workspace): Promise<Inputs> => {
  const text = await readFile(join(place.root, "output"), "utf8")
  const found = text.matchAll(/^(\w+)<<(end-[0-9a-f]+)\n([\s\S]*?)\n\2$/gm)
  return Object.fromEntries([...found].map(([, name = "", , value = ""]) => [name, value]))
}

test("a prompt is answered: settings are written, the answer is an output and stands in the summary", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => say("line one\nEOF\nline three"))
  const settings = JSON.stringify({ model: { maxSessionTurns: 25 }, tools: { core: ["run_shell_command(cat)"] } })
  const done = await runAction(place, { prompt: "hi", settings, gemini_model: "scripted" }, { server })
  expect(done).toMatchObject({
    failedAt: undefined,
    outputs: { summary: "line one\nEOF\nline three", error: "" },
    stdout: expect.stringContaining("line one\nEOF\nline three")
  })
  expect(JSON.parse(await place.read("work/.gemini/settings.json"))).toEqual(JSON.parse(settings))
  expect(await place.read("summary")).toContain("line three")
  expect(server.generations[0]?.model).toBe("scripted")
  expect(JSON.parse(await place.read("work/.gemini/artifacts/stdout.log"))).toMatchObject({
    completion_reason: "success"
  })
})

test("a command of the project is a prompt", async () => {
  await using place = await newWorkspace()
  await place.write("work/.gemini/commands/triage.toml", 'prompt = "Sort issue !{echo $ISSUE_NUMBER} by topic"')
  await using server = await startModelServer(() => say("sorted"))
  const done = await runAction(
    place,
    { prompt: "/triage", gemini_model: "scripted", github_issue_number: "17" },
    { server }
  )
  expect(done.outputs).toEqual({ summary: "sorted", error: "" })
  expect(server.generations[0]?.body).toMatchObject({
    contents: [{ parts: [{}, { text: "Sort issue 17 by topic" }] }]
  })
})

test("a failure is an output, an annotation, and the exit code of the step", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => googleError(400, "no such thing"))
  const done = await runAction(place, { prompt: "hi", gemini_model: "scripted" }, { server })
  expect(done).toMatchObject({ failedAt: "Run gemini", exitCode: 1, outputs: { summary: "" } })
  expect(JSON.parse(done.outputs.error ?? "")).toMatchObject({ message: expect.stringContaining("no such thing") })
  expect(done.stdout).toContain("::error title=gemini ended with 1::")
})

test("inputs that cannot work are refused before anything is installed", async () => {
  await using place = await newWorkspace()
  const cases: ReadonlyArray<readonly [Inputs, string]> = [
    [{}, "no credentials"],
    [{ use_vertex_ai: "true", use_gemini_code_assist: "true" }, "exclude each other"],
    [{ google_api_key: "k" }, "needs use_vertex_ai"],
    [{ use_vertex_ai: "true" }, "gcp_workload_identity_provider"],
    [{ use_gemini_code_assist: "true" }, "gcp_workload_identity_provider"]
  ]
  for (const [inputs, words] of cases) {
    const done = await runAction(place, inputs)
    expect(done).toMatchObject({ failedAt: "Check the inputs", stderr: expect.stringContaining(words) })
  }
})

test("the program is installed from a mirror, and found by the later steps", async () => {
  await using place = await newWorkspace()
  const installer = '#!/bin/sh\nprintf "#!/bin/sh\\necho 9.9.9\\n" > "$2/gemini"; chmod +x "$2/gemini"\n'
  const asked: Array<string> = []
  const mirror = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname)
      return new Response(installer)
    }
  })
  try {
    for (const version of ["latest", "v9.9.9"]) {
      const base = `http://127.0.0.1:${mirror.port}/releases/download`
      await runAction(
        place,
        { prompt: "hi", gemini_api_key: "k", gemini_cli_version: version },
        { env: { GEMINI_FX_DOWNLOAD_BASE: base } }
      )
    }
  } finally {
    await mirror.stop(true)
  }
  expect(asked).toEqual(["/releases/latest/download/install.sh", "/releases/download/v9.9.9/install.sh"])
  expect(dirname(join(place.root, "gemini-fx/bin/gemini"))).toBe(
    (await place.read("path")).trim().split("\n").at(-1) ?? ""
  )
})

test("it has every input of the action that it stands in for", () => {
  expect(Object.keys(action.inputs).toSorted()).toEqual([
    "extensions",
    "gcp_access_token_scopes",
    "gcp_location",
    "gcp_project_id",
    "gcp_service_account",
    "gcp_token_format",
    "gcp_workload_identity_provider",
    "gemini_api_key",
    "gemini_cli_version",
    "gemini_debug",
    "gemini_model",
    "github_issue_number",
    "github_pr_number",
    "google_api_key",
    "prompt",
    "settings",
    "upload_artifacts",
    "use_gemini_code_assist",
    "use_pnpm",
    "use_vertex_ai",
    "workflow_name"
  ])
  expect(Object.keys(action.outputs)).toEqual(["summary", "error"])
})
