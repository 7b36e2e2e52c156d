import { expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { linkSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { allFiles } from "./all-files.ts"

const read = (...roots: ReadonlyArray<string>) =>
  allFiles({
    roots,
    ignore: { respectGitIgnore: true, respectGeminiIgnore: true, customFiles: [] },
    contextFileNames: ["GEMINI.md"],
    clean: (text) => text.replaceAll("hunter2hunter2", "[REDACTED:KEY]")
  })

const namesIn = (text: string) => [...text.matchAll(/^--- (.+) ---$/gm)].map(([, name]) => name)

it.effect("every text file is there with its name, credentials are not", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "a.txt": "alpha", "src/b.ts": "key = 'hunter2hunter2'" })
    const { text, warning } = yield* read(root)
    expect(text).toStartWith("<workspace_files>\n")
    expect(text).toContain("--- a.txt ---\nalpha\n")
    expect(text).toContain("--- src/b.ts ---\nkey = '[REDACTED:KEY]'\n")
    expect(text).toEndWith("\n</workspace_files>")
    expect(warning).toBeUndefined()
  })
)

it.effect("what is ignored, hidden, generated, binary, empty or context already is left out without a word", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      ".git/HEAD": "ref",
      ".gitignore": "secret*",
      ".geminiignore": "private/",
      ".env": "A=1",
      "secret.txt": "s",
      "private/x.txt": "x",
      "node_modules/m/i.js": "m",
      "dist/out.js": "o",
      "data.txt": new Uint8Array([97, 0, 98]),
      "tool.exe": "text all the same",
      "empty.txt": " \n",
      "GEMINI.md": "rules",
      "kept.txt": "kept"
    })
    symlinkSync("/etc/passwd", join(root, "link.txt"))
    linkSync(join(root, "kept.txt"), join(root, "same.txt"))
    spawnSync("mkfifo", [join(root, "pipe.txt")])
    const { text, warning } = yield* read(root)
    expect(namesIn(text)).toEqual(["kept.txt"])
    expect(warning).toBeUndefined()
  })
)

it.effect("further workspace folders are named by their whole path", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "work/a.txt": "alpha", "more/b.txt": "beta" })
    const { text } = yield* read(join(root, "work"), join(root, "more"))
    expect(namesIn(text)).toEqual(["a.txt", join(root, "more/b.txt")])
  })
)

it.effect("the budget holds: what does not fit is named, what comes later and fits is there", () =>
  Effect.gen(function* () {
    const big = (size: number) => "0123456789abcde\n".repeat(size / 16)
    const root = yield* tempFolder({
      "a.txt": big(400_000),
      "b.txt": big(400_000),
      "c.txt": big(400_000),
      "d.txt": "small",
      "e.txt": big(600_000)
    })
    const { text, warning } = yield* read(root)
    expect(namesIn(text)).toEqual(["a.txt", "b.txt", "d.txt"])
    expect(text).toContain("Not included, read them where you need them:\n- c.txt\n- e.txt\n")
    expect(text.length / 4).toBeLessThan(250_000)
    expect(warning).toContain("3 files are sent; 2 files would pass the budget of 250000 tokens")
  })
)

it.effect("a workspace of very many files that do not fit is not read to its end", () =>
  Effect.gen(function* () {
    const files = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`f${index}.txt`, "é".repeat(90_000)]))
    const { text, warning } = yield* read(yield* tempFolder(files))
    expect(namesIn(text)).toHaveLength(1)
    expect(text).toContain("- and 950 more\nThe listing is not complete")
    expect(warning).toContain("1 files are sent; the rest would pass")
  })
)

it.effect("a workspace without text adds nothing", () =>
  Effect.gen(function* () {
    expect(yield* read(yield* tempFolder({ "x.bin": new Uint8Array([0]) }))).toEqual({ text: "", warning: undefined })
  })
)
