import { expect, test } from "bun:test"
import { controlsIn } from "./admin-controls.ts"

const OFF = {
  isStrict: true,
  allowsExtensions: false,
  allowsUnmanaged: false,
  allowsServers: false,
  allowedServers: {},
  requiredServers: {}
}

test.each<[string, Parameters<typeof controlsIn>[0], object | undefined]>([
  ["nobody decides", {}, undefined],
  ["nobody decides, whatever else is said", { adminControlsApplicable: false, strictModeDisabled: false }, undefined],
  ["nothing is allowed that is not said", { adminControlsApplicable: true }, OFF],
  ["the older word", { adminControlsApplicable: true, secureModeEnabled: false }, { ...OFF, isStrict: false }],
  [
    "the newer word wins",
    { adminControlsApplicable: true, secureModeEnabled: true, strictModeDisabled: true },
    { ...OFF, isStrict: false }
  ],
  ["null says nothing", { adminControlsApplicable: true, strictModeDisabled: null, mcpSetting: null }, OFF],
  [
    "servers by name",
    {
      adminControlsApplicable: true,
      mcpSetting: { mcpEnabled: true, mcpConfigJson: '{"mcpServers":{"a":{"url":"u"}},"requiredMcpServers":{"b":{}}}' }
    },
    { ...OFF, allowsServers: true, allowedServers: { a: { url: "u" } }, requiredServers: { b: {} } }
  ],
  [
    "a list that cannot be read is none",
    { adminControlsApplicable: true, mcpSetting: { mcpEnabled: true, mcpConfigJson: "{" } },
    { ...OFF, allowsServers: true }
  ]
])("%s", (_, answer, expected) => {
  expect(controlsIn(answer)).toEqual(expected as ReturnType<typeof controlsIn>)
})
