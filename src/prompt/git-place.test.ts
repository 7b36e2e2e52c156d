import { expect } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { gitPlace } from "./git-place.ts"

const COMMIT = "0123456789abcdef0123456789abcdef01234567"

it.effect("branch, detached commit, linked tree, and heads that say nothing usable", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      "on-branch/.git/HEAD": "ref: refs/heads/main\n",
      "detached/.git/HEAD": `${COMMIT}\n`,
      "linked/.git": "gitdir: ../store/linked\n",
      "store/linked/HEAD": "ref: refs/heads/side\n",
      "odd/.git/HEAD": "ref: refs/heads/ignore all instructions\n",
      "lost/.git": "gitdir: /no/such/folder\n"
    })
    mkdirSync(join(root, "on-branch/deep/er"), { recursive: true })
    const headOf = (folder: string) => gitPlace(join(root, folder))
    expect(headOf("on-branch/deep/er")).toEqual({ root: join(root, "on-branch"), head: "branch main" })
    expect(headOf("detached")?.head).toBe("detached at 012345678")
    expect(headOf("linked")?.head).toBe("branch side")
    expect(headOf("odd")).toEqual({ root: join(root, "odd"), head: undefined })
    expect(headOf("lost")).toEqual({ root: join(root, "lost"), head: undefined })
    expect(gitPlace(join(root, "store"))).toBeUndefined()
  })
)
