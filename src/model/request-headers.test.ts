import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { parseCustomHeaders, requestHeaders } from "./request-headers.ts"

describe("parseCustomHeaders", () => {
  const rows: ReadonlyArray<readonly [text: string, expected: ReadonlyArray<readonly [string, string]>]> = [
    ["", []],
    ["A: 1", [["A", "1"]]],
    [
      "A:1,B:2",
      [
        ["A", "1"],
        ["B", "2"]
      ]
    ],
    [
      "A: 1, B: 2 ",
      [
        ["A", "1"],
        ["B", "2"]
      ]
    ],
    [
      "A: 1, 2, 3, B: x",
      [
        ["A", "1, 2, 3"],
        ["B", "x"]
      ]
    ],
    ["Authorization: Bearer a:b:c", [["Authorization", "Bearer a:b:c"]]],
    [
      "A: http://x, B: 2",
      [
        ["A", "http://x"],
        ["B", "2"]
      ]
    ],
    ["A:", [["A", ""]]],
    ["no colon", []],
    [": value", []],
    ["bad name: x", []],
    ["A: 1\r\nEvil: 2", []],
    ["A: 1,", [["A", "1,"]]]
  ]
  for (const [text, expected] of rows) {
    test(JSON.stringify(text), () => expect(parseCustomHeaders(text)).toEqual([...expected]))
  }

  test("what it returns can always be sent", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: FastCheck.constantFrom(...'Aa1-:, \r\n\0é"') }), (text) => {
        for (const [name, value] of parseCustomHeaders(text)) new Headers([[name, value]])
      })
    )
  })
})

describe("requestHeaders", () => {
  const identity = { version: "1.2.3", platform: "linux", arch: "x64", osVersion: "6.1" }
  const agent = (variables: Record<string, string>) => requestHeaders({ model: "m", identity, variables })[0]?.[1]
  const rows: ReadonlyArray<readonly [variables: Record<string, string>, agent: string]> = [
    [{}, "GeminiCLI/1.2.3/m (linux; x64; terminal)"],
    [{ GITHUB_SHA: "abc" }, "GeminiCLI/1.2.3/m (linux; x64; GitHub)"],
    [{ SURFACE: "s", GITHUB_SHA: "abc" }, "GeminiCLI/1.2.3/m (linux; x64; s)"],
    [{ GEMINI_CLI_SURFACE: "g", SURFACE: "s", TERM_PROGRAM: "vscode" }, "GeminiCLI/1.2.3/m (linux; x64; g)"],
    [
      { TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.99" },
      "CloudCodeVSCode/1.2.3 (aidev_client; os_type=linux; os_version=6.1; arch=x64; host_path=VSCode/1.99; proxy_client=geminicli)"
    ],
    [
      { VSCODE_PID: "7", TERM_PROGRAM_VERSION: "1.99", CLOUD_SHELL_VERSION: "2" },
      "CloudCodeVSCode/1.2.3 (aidev_client; os_type=linux; os_version=6.1; arch=x64; host_path=VSCode/1.99 > CloudShell/2; proxy_client=geminicli)"
    ]
  ]
  for (const [variables, expected] of rows) {
    test(expected, () => expect(agent(variables)).toBe(expected))
  }

  test("a model's name is made fit for a header", () => {
    expect(requestHeaders({ model: "模型\n", identity, variables: {} })[0]?.[1]).toContain("/??? (")
  })

  test("routing of Vertex AI and the user's own, in this order", () => {
    const headers = requestHeaders({
      model: "m",
      identity,
      variables: { GEMINI_CLI_CUSTOM_HEADERS: "User-Agent: mine" },
      vertexRouting: { requestType: "shared", sharedRequestType: "flex" }
    })
    expect(headers.slice(1)).toEqual([
      ["X-Vertex-AI-LLM-Request-Type", "shared"],
      ["X-Vertex-AI-LLM-Shared-Request-Type", "flex"],
      ["User-Agent", "mine"]
    ])
  })
})
