import { expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect } from "effect"
import { editRoom, runPrepared } from "../../test/kit/edit-room.ts"
import { it } from "../../test/kit/it.ts"
import type { BuiltinServices } from "./builtin-tools.ts"
import { lazyBuiltins } from "./catalogue.ts"

it.effect("a tool of the catalogue is loaded when it is called, and finds its services", () =>
  Effect.gen(function* () {
    const room = yield* editRoom()
    writeFileSync(join(room.root, "a.txt"), "one\n")
    // Only what write_file asks for is there: the other tools are never prepared here.
    const services: Context.Context<never> = Context.merge(Context.empty(), room.services)
    const tools = lazyBuiltins(Effect.succeed(services as Context.Context<BuiltinServices>))
    const writeFile = tools.find((tool) => tool.name === "write_file")
    expect(writeFile?.params).toBeNull()
    const call = yield* writeFile?.prepare({ file_path: "a.txt", content: "two\n" }) ?? Effect.dieMessage("no tool")
    yield* runPrepared(call)
    expect(room.text("a.txt")).toBe("two\n")
  })
)
