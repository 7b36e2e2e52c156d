import { expect, test } from "bun:test"
import { coverCredentials, coverText } from "./covered-credentials.ts"

test.each<[string, string]>([
  ["https://me:s3cret@x.example/mcp?key=s3cret&v=1#a", "https://(hidden)@x.example/mcp?key=(hidden)&v=(hidden)#a"],
  ["http://s3cret@127.0.0.1:1", "http://(hidden)@127.0.0.1:1"],
  ["srv --api-key s3cret --verbose", "srv --api-key (hidden) --verbose"],
  ["srv --token=s3cret -p 1", "srv --token=(hidden) -p 1"],
  ["srv --password 's3 cret' x", "srv --password (hidden) x"],
  ["MY_TOKEN=s3cret OTHER=1 srv", "MY_TOKEN=(hidden) OTHER=1 srv"],
  ["curl -H 'Authorization: Bearer s3cret' x", "curl -H 'Authorization: Bearer (hidden)' x"],
  ['curl -H "X-Api-Key: s3cret" x', 'curl -H "X-Api-Key: (hidden)" x'],
  ["srv ghp_0123456789abcdefghijklmnopqrstuvwxyz", "srv (hidden)"],
  // Said of nobody: names of variables, other options, addresses, files.
  ...[
    "curl -H 'Authorization: Bearer $TOKEN' --token $TOKEN --key-file",
    "git log --author=me --authors --tokens-per-line",
    "http://127.0.0.1:8080/a/b",
    "npx -y @scope/server@1.2.3 --port 80",
    "a token is what it reads"
  ].map((same): [string, string] => [same, same])
])("%s is shown as %s", (text, shown) => expect(coverText(text)).toBe(shown))

test("fields are known by their names, words by the word before them", () => {
  const server = {
    command: "srv",
    args: ["--token", "s3cret", "--token", "--other", "plain"],
    env: { DEBUG: "1", DB_PASSWORD: "s3cret", API_KEY_2: "s3cret", NAME: "$API_KEY", MY_TOKEN: "${OTHER}" },
    headers: { Accept: "s3cret" },
    oauth: { clientId: "me", clientSecret: "s3cret", tokenParamName: "t", tokenUrl: "https://x.example/t" },
    timeout: 5
  }
  expect(coverCredentials({ mine: server })).toEqual({
    mine: {
      ...server,
      args: ["--token", "(hidden)", "--token", "--other", "plain"],
      env: { ...server.env, DB_PASSWORD: "(hidden)", API_KEY_2: "(hidden)" },
      headers: { Accept: "(hidden)" },
      oauth: { ...server.oauth, clientSecret: "(hidden)" }
    }
  })
})
