import { expect, test } from "bun:test"
import { grpcPlace, proxyWarnings } from "./grpc-place.ts"

test.each([
  ["https://agents.example.com", false, "agents.example.com:443", true],
  ["https://agents.example.com:8443/", false, "agents.example.com:8443", true],
  ["http://127.0.0.1:50051", true, "127.0.0.1:50051", false],
  ["grpcs://agents.example.com", false, "agents.example.com:443", true],
  ["agents.example.com:50051", false, "agents.example.com:50051", false],
  ["agents.example.com:50051", true, "agents.example.com:50051", true],
  ["[::1]:50051", false, "[::1]:50051", false]
])("%s (auth: %p) is %s, TLS: %p", (written, hasAuth, target, isSecure) => {
  expect(grpcPlace(written, { hasAuth })).toMatchObject({ target, isSecure })
})

test.each([
  [{}, 0],
  [{ HTTPS_PROXY: "http://proxy:1" }, 1],
  [{ HTTPS_PROXY: "http://proxy:1", NO_PROXY: "example.com" }, 0],
  [{ HTTPS_PROXY: "http://proxy:1", https_proxy: "http://proxy:1" }, 0]
])("with %p there are %p warnings about the proxy", (variables, count) => {
  expect(proxyWarnings(grpcPlace("https://example.com", { hasAuth: false }), variables)).toHaveLength(count)
})
