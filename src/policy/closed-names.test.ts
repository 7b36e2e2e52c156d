import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { holdsClosedNames } from "./fixed-context.ts"

test("finds names that may not be read, at any depth, and follows no links", () => {
  const root = mkdtempSync(join(tmpdir(), "closed-names-"))
  try {
    mkdirSync(join(root, "open", "deep"), { recursive: true })
    mkdirSync(join(root, "closed", "deep"), { recursive: true })
    writeFileSync(join(root, "open", "deep", "env"), "")
    writeFileSync(join(root, "closed", "deep", ".ENV"), "")
    symlinkSync(join(root, "closed"), join(root, "open", "link"))
    const found = ["open", "closed", "closed/deep/.ENV", "gone"].map((name) => holdsClosedNames(join(root, name)))
    expect(found).toEqual([false, true, false, false])
  } finally {
    rmSync(root, { recursive: true })
  }
})
