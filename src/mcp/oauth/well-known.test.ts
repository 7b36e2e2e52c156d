import { expect, test } from "bun:test"
import {
  authorizationServerPlaces,
  issuersOf,
  maySendTo,
  protectedResourcePlaces,
  resourceMetadataIn,
  resourceOf
} from "./well-known.ts"

test("a resource is scheme, host and path", () => {
  expect(resourceOf("https://h:8/a/b?x=1#y")).toBe("https://h:8/a/b")
})

test("a protected resource describes itself below its path, then at the root", () => {
  expect(protectedResourcePlaces("https://h/mcp/")).toEqual([
    "https://h/.well-known/oauth-protected-resource/mcp",
    "https://h/.well-known/oauth-protected-resource"
  ])
  expect(protectedResourcePlaces("https://h")).toEqual(["https://h/.well-known/oauth-protected-resource"])
})

test("an authorization server is looked for in five places", () => {
  expect(authorizationServerPlaces("https://h/tenant")).toEqual([
    "https://h/.well-known/oauth-authorization-server/tenant",
    "https://h/.well-known/openid-configuration/tenant",
    "https://h/tenant/.well-known/openid-configuration",
    "https://h/.well-known/oauth-authorization-server",
    "https://h/.well-known/openid-configuration"
  ])
})

test.each([
  ["https://h/authorize", ["https://h"]],
  ["https://h/realms/x/protocol/openid-connect/auth", ["https://h", "https://h/realms/x"]],
  ["https://h/t/oauth2/v2.0", ["https://h", "https://h/t/oauth2/v2.0", "https://h/t/oauth2"]]
])("the issuers of %s", (page, issuers) => {
  expect(issuersOf(page)).toEqual(issuers)
})

test.each([
  ['Bearer realm="x", resource_metadata="https://h/m"', "https://h/m"],
  ["Bearer resource_metadata=https://h/m, error=x", "https://h/m"],
  ['Bearer resource_metadata="javascript:alert(1)"', undefined],
  ["Bearer", undefined],
  [undefined, undefined]
])("the description that %p names", (challenge, url) => {
  expect(resourceMetadataIn(challenge)).toBe(url)
})

test.each([
  ["https://mcp.example.com/mcp", "https://login.example.org/authorize", true],
  ["https://mcp.example.com/mcp", "https://mcp.example.com:8443/x", true],
  ["http://mcp.example.com/mcp", "http://login.example.org/", true],
  ["http://127.0.0.1:80/mcp", "http://127.0.0.1:81/x", true],
  ["http://localhost/mcp", "http://10.0.0.7/x", true],
  ["https://mcp.example.com/mcp", "http://login.example.org/authorize", false],
  ["https://mcp.example.com/mcp", "http://mcp.example.com/authorize", false],
  ["https://mcp.example.com/mcp", "https://169.254.169.254/latest", false],
  ["https://mcp.example.com/mcp", "https://[fd00:ec2::254]/", false],
  ["https://mcp.example.com/mcp", "https://localhost/x", false],
  ["https://mcp.example.com/mcp", "https://0x7f.1/x", false],
  ["https://mcp.example.com/mcp", "https://metadata.google.internal/x", false],
  ["https://mcp.example.com/mcp", "https://mcp.example.com@evil.org/", false],
  ["https://mcp.example.com/mcp", "file:///etc/passwd", false],
  ["https://mcp.example.com/mcp", "javascript:alert(1)", false],
  ["https://mcp.example.com/mcp", "vscode://run?x", false],
  ["https://mcp.example.com/mcp", "$(touch x)", false]
])("%s sends somebody to %s: %p", (server, described, may) => expect(maySendTo(server, described)).toBe(may))
