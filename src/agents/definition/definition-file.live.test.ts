import { describe, expect, test } from "bun:test"
import { Either, FastCheck } from "effect"
import { problemText } from "../agent.ts"
import { parseDefinition } from "./definition-file.live.ts"

const faultsOf = (text: string): ReadonlyArray<string> =>
  Either.match(parseDefinition("a.md", text), { onLeft: (problems) => problems.map(problemText), onRight: () => [] })

const agentsOf = (text: string) => Either.getOrThrow(parseDefinition("a.md", text))

describe("a definition", () => {
  test("with the two required fields gets the defaults", () => {
    expect(agentsOf("---\nname: scout\ndescription: Looks around.\n---\nYou look around.\n")).toEqual([
      {
        kind: "local",
        name: "scout",
        displayName: undefined,
        description: "Looks around.",
        instruction: { _tag: "own", text: "You look around." },
        tools: undefined,
        mcpServers: {},
        model: { name: "inherit", config: { temperature: 1, topP: 0.95 } },
        limits: { maxTurns: 30, maxMinutes: 10 },
        input: "query"
      }
    ])
  })

  test("has every field", () => {
    const [agent] = agentsOf(`---
kind: local
name: all-fields_1
display_name: All of them
description: |
  Two
  lines
tools: [read_file, "mcp_*", mcp_gh_*]
mcp_servers:
  gh:
    command: gh-mcp
    args: [--stdio]
    env: { A: "1" }
    http_url: https://x.example/mcp
    timeout: 5
    trust: true
    include_tools: [a]
    exclude_tools: [b]
    auth: { type: oauth, client_id: c, scopes: [s] }
  cloud:
    url: https://y.example
    auth: { type: google-credentials, scopes: [t] }
model: gemini-2.5-flash
temperature: 0.2
max_turns: 5
timeout_mins: 0.5
---
Body
`)
    expect(agent).toMatchObject({
      name: "all-fields_1",
      displayName: "All of them",
      tools: ["read_file", "mcp_*", "mcp_gh_*"],
      model: { name: "gemini-2.5-flash", config: { temperature: 0.2, topP: 0.95 } },
      limits: { maxTurns: 5, maxMinutes: 0.5 },
      mcpServers: {
        gh: {
          command: "gh-mcp",
          httpUrl: "https://x.example/mcp",
          includeTools: ["a"],
          excludeTools: ["b"],
          oauth: { enabled: true, clientId: "c", scopes: ["s"] }
        },
        cloud: { url: "https://y.example", authProviderType: "google_credentials", oauth: { scopes: ["t"] } }
      }
    })
  })

  test("may be a remote agent, or a list of them", () => {
    const [one] = agentsOf("---\nkind: remote\nname: far\nagent_card_url: https://far.example/card.json\n---\n")
    expect(one).toMatchObject({ kind: "remote", card: { _tag: "url", url: "https://far.example/card.json" } })
    const several = agentsOf(`---
- kind: remote
  name: a
  agent_card_json: '{"name":"a"}'
  auth: { type: apiKey, key: $KEY }
- kind: remote
  name: b
  agent_card_json: { name: b }
  auth: { type: http, scheme: Basic, username: u, password: "!pass" }
---
`)
    expect(several).toMatchObject([
      { name: "a", card: { json: '{"name":"a"}' }, auth: { type: "apiKey", key: "$KEY", name: "X-API-Key" } },
      { name: "b", card: { json: '{"name":"b"}' }, auth: { scheme: "Basic", credentials: { _tag: "basic" } } }
    ])
  })
})

describe("faults are told with line and field", () => {
  test.each([
    ["no front matter", ["a.md:1: it does not begin with a line of ---"]],
    ["---\nname: a\n", ["a.md:1: the --- at its beginning is not closed by another"]],
    ["---\nname: a\n---\nBody", ["a.md:2: description: it is missing"]],
    ["---\nname: A b\ndescription: d\n---\nBody", ["a.md:2: name: expected lower-case letters, digits, - and _ only"]],
    ["---\nname: a\ndescription: d\nmaxTurns: 3\n---\nBody", ["a.md:4: maxTurns: there is no such field"]],
    [
      "---\nname: a\ndescription: d\nmax_turns: lots\ntimeout_mins: 0\n---\nBody",
      [
        "a.md:4: max_turns: expected a whole number of at least 1",
        "a.md:5: timeout_mins: expected a number of minutes above 0"
      ]
    ],
    ["---\nname: a\ndescription: d\ntools: read_file\n---\nBody", ["a.md:4: tools: expected a list of texts"]],
    [
      "---\nname: a\ndescription: d\nmcp_servers:\n  x:\n    comand: y\n---\nBody",
      ["a.md:6: mcp_servers.x.comand: there is no such field"]
    ],
    [
      "---\nname: a\ndescription: d\n---\n",
      ["a.md:2: the text behind the fields is missing: it is what the agent is told"]
    ],
    ["---\nkind: remote\nname: a\n---\n", ["a.md:2: set exactly one of agent_card_url and agent_card_json"]],
    [
      "---\nkind: remote\nname: a\nagent_card_url: ftp://x\n---\n",
      ["a.md:4: agent_card_url: expected an address that begins with https:// or http://"]
    ],
    [
      "---\nkind: remote\nname: a\nagent_card_url: https://x\nauth:\n  type: http\n  scheme: Bearer\n---\n",
      ["a.md:5: auth: the scheme Bearer needs a token"]
    ],
    [
      "---\n- name: a\n  kind: remote\n  agent_card_url: https://x\n  tools: [a]\n---\n",
      ["a.md:5: 0.tools: there is no such field"]
    ],
    ["---\n42\n---\nBody", ["a.md:2: expected fields such as name and description"]]
  ])("%j", (text, faults) => expect(faultsOf(text)).toEqual([...faults]))

  test("an unknown way to sign in names the field", () => {
    const [fault] = faultsOf("---\nkind: remote\nname: a\nagent_card_url: https://x\nauth: { type: magic }\n---\n")
    expect(fault).toStartWith("a.md:5: auth.type: ")
  })

  test("broken YAML, duplicate keys and aliases that multiply", () => {
    expect(faultsOf("---\nname: [a\ndescription: d\n---\nBody")[0]).toMatch(/^a\.md:[234]: /)
    expect(faultsOf("---\nname: a\nname: b\ndescription: d\n---\nBody")[0]).toStartWith("a.md:3: ")
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(10)}]\nc: &c [${"*b,".repeat(10)}]\nd: [${"*c,".repeat(10)}]\n---\nBody`
    expect(faultsOf(bomb)).not.toEqual([])
  })

  test("no text makes it throw", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.string(), FastCheck.string(), (yaml, body) => {
        expect(Either.isEither(parseDefinition("a.md", `---\n${yaml}\n---\n${body}`))).toBe(true)
      })
    ))
})
