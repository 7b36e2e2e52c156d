import { expect, test } from "bun:test"
import { chunksOf, loadedWith } from "./chunks.ts"

const METAFILE = JSON.stringify({
  outputs: {
    "./gemini": {
      bytes: 100,
      inputs: { "src/main.ts": { bytesInOutput: 90 } },
      imports: [{ path: "./boot-1.js", kind: "dynamic-import" }],
      entryPoint: "src/main.ts"
    },
    "./boot-1.js": {
      bytes: 3000,
      inputs: {
        "src/boot.ts": { bytesInOutput: 500 },
        "src/app/compose.ts": { bytesInOutput: 300 },
        "node_modules/effect/dist/esm/Effect.js": { bytesInOutput: 2000 }
      },
      imports: [
        { path: "./shared-2.js", kind: "import-statement" },
        { path: "./sdk.live-3.js", kind: "dynamic-import" },
        { path: "./sdk.live-3.js", kind: "dynamic-import" },
        { path: "node:fs", kind: "import-statement" }
      ],
      entryPoint: "src/boot.ts"
    },
    "./shared-2.js": {
      bytes: 50,
      inputs: { "src/kernel/a.ts": { bytesInOutput: 40 } },
      imports: [{ path: "./boot-1.js", kind: "import-statement" }]
    },
    "./sdk.live-3.js": {
      bytes: 9000,
      inputs: { "node_modules/a/node_modules/@google/genai/index.js": { bytesInOutput: 8900 } },
      imports: [{ path: "./shared-2.js", kind: "import-statement" }],
      entryPoint: "src/model/sdk.live.ts"
    }
  }
})

test("chunks carry their weight by package and what they load", () => {
  expect(chunksOf(METAFILE)[1]).toEqual({
    name: "boot-1.js",
    entryPoint: "src/boot.ts",
    bytes: 3000,
    needs: ["shared-2.js", "node:fs"],
    lazy: ["sdk.live-3.js"],
    packages: { effect: 2000, src: 800 }
  })
  expect(chunksOf(METAFILE)[3]?.packages).toEqual({ "@google/genai": 8900 })
})

test("what is loaded with an entry follows static imports only, and ends in a cycle", () => {
  const loaded = (entryPoint: string) => loadedWith(chunksOf(METAFILE), entryPoint).map((chunk) => chunk.name)
  expect(loaded("src/main.ts")).toEqual(["gemini"])
  expect(loaded("src/boot.ts")).toEqual(["boot-1.js", "shared-2.js"])
  expect(loaded("src/absent.ts")).toEqual([])
})
