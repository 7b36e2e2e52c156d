import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { isFreer, MODES_BY_FREEDOM } from "../protocol/modes.ts"
import { type Ceiling, folderRefusal, modeRefusal } from "./ceiling.ts"

const ceiling = (more: Partial<Ceiling> = {}): Ceiling => ({
  mode: "default",
  modeSource: "general.defaultApprovalMode",
  roots: ["/work", "/srv/other"],
  ...more
})

test("a client never has a freer mode than the server", () => {
  const mode = FastCheck.constantFrom(...MODES_BY_FREEDOM)
  FastCheck.assert(
    FastCheck.property(mode, mode, (asked, own) => {
      const refusal = modeRefusal(asked, ceiling({ mode: own }))
      expect(refusal !== undefined).toBe(isFreer(asked, own))
      if (refusal !== undefined) expect(refusal.message).toContain(`${own} at most (general.defaultApprovalMode)`)
    })
  )
})

describe("folders", () => {
  test.each(["/work", "/work/sub/deep", "/srv/other"])("%s is one of the server's", (folder) =>
    expect(folderRefusal(folder, ceiling())).toBeUndefined()
  )
  test.each(["/", "/work-evil", "/srv", "/home/me"])("%s is not", (folder) =>
    expect(folderRefusal(folder, ceiling())?.message).toContain("work in /work, /srv/other")
  )
  test.each(["/work/.git", "/work/.git/hooks", "/work/node_modules/x"])("%s is closed", (folder) =>
    expect(folderRefusal(folder, ceiling())?.message).toContain("closed")
  )
})
