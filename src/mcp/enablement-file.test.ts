import { expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { readDisabled, setDisabled } from "./enablement-file.ts"

const inFolder = (body: (file: string) => Effect.Effect<void, unknown>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-enablement-"))),
    (folder) => body(join(folder, "sub", "file.json")),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

it.live("turning off and on again leaves others alone", () =>
  inFolder((file) =>
    Effect.gen(function* () {
      expect(readDisabled(file)).toEqual(new Set())
      yield* setDisabled(file, " Docs ", true)
      yield* setDisabled(file, "other", true)
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ docs: { enabled: false }, other: { enabled: false } })
      yield* setDisabled(file, "DOCS", false)
      expect(readDisabled(file)).toEqual(new Set(["other"]))
    })
  )
)

it.live("what others wrote is understood, what nobody understands turns nothing off", () =>
  inFolder((file) =>
    Effect.gen(function* () {
      yield* setDisabled(file, "x", true)
      writeFileSync(file, '{ "Mixed Case": { "enabled": false }, "on": { "enabled": true } }')
      expect(readDisabled(file)).toEqual(new Set(["mixed case"]))
      writeFileSync(file, "not json")
      expect(readDisabled(file)).toEqual(new Set())
    })
  )
)
