/** Real servers of the package registry behind the compiled binary, over every transport. */
import { describe, expect, test } from "bun:test"
import { referenceServer, startEverything } from "./kit/reference-servers.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const configure = (place: Workspace, mcpServers: object, more: object = {}) =>
  place.write("home/.gemini/settings.json", JSON.stringify({ mcpServers, ...more }))

/** An answer of the echo tool, as the model gets it. */
const ECHO = "<untrusted_context>\nEcho: hello\n</untrusted_context>"

describe("server-everything", () => {
  test("over standard input and output: every kind of content, resources, progress", async () => {
    await using place = await newWorkspace()
    await configure(place, { every: { ...referenceServer("everything"), trust: true } })
    const { answers, offered, result } = await callTools(
      place,
      inTurns(
        tool("mcp_every_echo", { message: "hello" }),
        tool("mcp_every_get-tiny-image", {}),
        tool("mcp_every_get-sum", { a: 2, b: "three" }),
        tool("list_mcp_resources", {}),
        tool("read_mcp_resource", { uri: "demo://resource/static/document/features.md" }),
        tool("read_mcp_resource", { uri: "demo://none" })
      )
    )
    expect(result.exitCode).toBe(0)
    expect(offered).toContain("mcp_every_get-sum")
    expect(offered.indexOf("read_mcp_resource")).toBe(offered.indexOf("list_mcp_resources") - 1)
    const [echo, image, sum, list, read, none] = answers
    expect(echo).toMatchObject({ status: "success", output: ECHO, shown: "Echo: hello" })
    expect(image?.output).toContain(
      "[Tool 'get-tiny-image' provided the following image data with mime-type: image/png]"
    )
    expect(sum).toMatchObject({
      status: "error",
      type: "invalid_tool_params",
      error: expect.stringContaining("number")
    })
    expect(list?.output).toContain("- every:demo://resource/static/document/features.md | ")
    expect(read?.output).toContain("<untrusted_context>")
    expect(none).toMatchObject({ status: "error", type: "mcp_resource_not_found" })
  }, 60_000)

  test.each([
    ["streamableHttp", "/mcp", { type: "http" }],
    ["streamableHttp", "/mcp", {}],
    ["sse", "/sse", { type: "sse" }],
    ["sse", "/sse", {}]
  ] as const)(
    "over %s at %s with %j",
    async (transport, path, how) => {
      await using place = await newWorkspace()
      await using server = await startEverything(transport)
      await configure(place, { every: { url: `http://127.0.0.1:${server.port}${path}`, trust: true, ...how } })
      const { answers, result } = await callTools(place, inTurns(tool("mcp_every_echo", { message: "hello" })))
      expect(result).toMatchObject({ exitCode: 0, stderr: "" })
      expect(answers).toMatchObject([{ status: "success", output: ECHO }])
    },
    60_000
  )
})

test("server-filesystem gets the folders that it may use, server-memory keeps what it is told", async () => {
  await using place = await newWorkspace()
  await place.write("work/a.txt", "alpha\n")
  await configure(place, {
    files: { ...referenceServer("filesystem", place.cwd), trust: true },
    memory: {
      ...referenceServer("memory"),
      trust: true,
      env: { MEMORY_FILE_PATH: `${place.root}/memory.jsonl` },
      includeTools: ["create_entities"]
    }
  })
  const { answers, offered } = await callTools(
    place,
    inTurns(
      tool("mcp_files_read_text_file", { path: `${place.cwd}/a.txt` }),
      tool("mcp_files_read_text_file", { path: "/etc/passwd" }),
      tool("mcp_memory_create_entities", {
        entities: [{ name: "Ada", entityType: "person", observations: ["likes engines"] }]
      })
    )
  )
  expect(offered.filter((name) => name.startsWith("mcp_memory"))).toEqual(["mcp_memory_create_entities"])
  expect(answers.map(({ status, type }) => [status, type])).toEqual([
    ["success", undefined],
    ["error", "mcp_tool_error"],
    ["success", undefined]
  ])
  expect(answers[0]?.output).toContain("alpha")
  expect(await place.read("memory.jsonl")).toContain("likes engines")
}, 60_000)
