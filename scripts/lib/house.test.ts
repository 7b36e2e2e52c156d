import { expect, test } from "bun:test"
import { countHouse } from "./house.ts"

const file = (path: string, text: string, ...imports: ReadonlyArray<string>) => ({ path, text, imports })

test("a small file with one importer has no reason; a test, a second importer, a lazy boundary or a macro is one", () => {
  const { slight } = countHouse([
    file("src/a.ts", 'lazy(() => import("./lazy.ts"))', "src/once.ts", "src/twice.ts", "src/tested.ts", "src/lazy.ts"),
    file("src/b.ts", 'import { m } from "./macro.ts" with { type: "macro" }', "src/twice.ts", "src/macro.ts"),
    file("src/tested.test.ts", "", "src/tested.ts"),
    ...["once", "twice", "tested", "lazy", "macro"].map((name) => file(`src/${name}.ts`, "export const x = 1"))
  ])
  expect(slight).toEqual(["src/once.ts"])
})

test("long files and type names with two homes are found", () => {
  const { files, long, sharedNames } = countHouse([
    file("src/a.ts", `export interface Place {}\n${"x\n".repeat(400)}`),
    file("src/b.ts", "export type Place = string"),
    file("src/generated/c.ts", "x\n".repeat(400))
  ])
  expect(files).toHaveLength(3)
  expect(long).toEqual(["src/a.ts"])
  expect(sharedNames).toEqual(["Place: src/a.ts, src/b.ts"])
})
