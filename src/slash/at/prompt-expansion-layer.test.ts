import { describe, expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type FileRoomOptions, fileRoom } from "../../../test/kit/file-room.ts"
import { it } from "../../../test/kit/it.ts"
import * as ContextFiles from "../../prompt/context-files.ts"
import type { Part } from "../../protocol/content.ts"
import { expandPrompt } from "./prompt-expansion-layer.ts"

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64")

interface Options extends FileRoomOptions {
  readonly before?: string
  readonly isRecursive?: boolean
  readonly mayRead?: boolean
  readonly prepare?: (root: string) => void
}

const expand = Effect.fnUntraced(function* (
  prompt: string | ((base: string) => string),
  { before, isRecursive = true, mayRead = false, prepare, ...room }: Options = {}
) {
  const { base, root, services } = yield* fileRoom(room)
  prepare?.(root)
  const text = typeof prompt === "string" ? prompt : prompt(base)
  const expanded = yield* expandPrompt(text, {
    isRecursive,
    mayRead: () => Effect.succeed(mayRead),
    before
  }).pipe(Effect.provide(services), Effect.provideService(ContextFiles.ContextFiles, ContextFiles.none))
  const clean = (value: string) => value.replaceAll(base, "<base>")
  return {
    text: expanded.text,
    parts: expanded.parts.map((part: Part) => clean(part.text ?? `<${part.inlineData?.mimeType}>`)),
    notes: expanded.notes.map(({ message, severity }) => clean(`${severity}: ${message}`))
  }
})

const FRAME = ["\n--- Content from referenced files ---", "\n--- End of content ---"] as const

describe("what the model gets", () => {
  it.effect("a file: the prompt, the frame, a label, the trimmed content", () =>
    Effect.gen(function* () {
      const { notes, parts, text } = yield* expand("explain (@src/a.ts), please", {
        files: { "src/a.ts": "\none\ntwo\n\n" }
      })
      expect(parts).toEqual([
        "explain ( @src/a.ts), please",
        FRAME[0],
        "\nContent from @src/a.ts:\n",
        "one\ntwo",
        FRAME[1]
      ])
      expect(text).toBe("explain (@src/a.ts), please")
      expect(notes).toEqual(["info: attached 1 file (7 bytes): src/a.ts"])
    })
  )

  it.effect("text that refers to nothing stays one part, unchanged but for escapes", () =>
    Effect.gen(function* () {
      const { notes, parts } = yield* expand("mail a@b.com, not \\@c about @nothing")
      expect(parts).toEqual(["mail a@b.com, not @c about @nothing"])
      expect(notes).toEqual([])
    })
  )

  it.effect("spacing of text that is no reference is left alone beside one that is", () =>
    Effect.gen(function* () {
      const { parts } = yield* expand("a@b.com (@a.txt)", { files: { "a.txt": "A" } })
      expect(parts[0]).toBe("a@b.com ( @a.txt)")
    })
  )

  it.effect("a folder with all below it, in order of paths, without what is excluded or ignored", () =>
    Effect.gen(function* () {
      const { parts } = yield* expand("@src", {
        isRepository: true,
        files: {
          ".gitignore": "*.log\n",
          "src/b.ts": "B",
          "src/a/z.ts": "Z",
          "src/.dot": "D",
          "src/x.log": "L",
          "src/node_modules/m.js": "M",
          "other.ts": "O"
        }
      })
      expect(parts[0]).toBe("@src/**")
      expect(parts.slice(1, -1).filter((_, index) => index % 2 === 1)).toEqual(
        ["src/.dot", "src/a/z.ts", "src/b.ts"].map((path) => `\nContent from @${path}:\n`)
      )
    })
  )

  it.effect("globs, names in quotes, escaped spaces, several references to one file", () =>
    Effect.gen(function* () {
      const { parts } = yield* expand('@*.md @"a b.txt" @a\\ b.txt', {
        files: { "one.md": "1", "two.md": "2", "a b.txt": "spaced" }
      })
      expect(parts).toEqual([
        "@*.md @a b.txt @a b.txt",
        FRAME[0],
        "\nContent from @a b.txt:\n",
        "spaced",
        "\nContent from @one.md:\n",
        "1",
        "\nContent from @two.md:\n",
        "2",
        FRAME[1]
      ])
    })
  )

  it.effect("a range of lines, and a file that is really called so", () =>
    Effect.gen(function* () {
      const files = { "a.ts": "1\n2\n3\n4\n5", "b:2": "whole" }
      const { parts } = yield* expand("@a.ts:2-3 @b:2", { files })
      expect(parts.slice(2, -1)).toEqual(["\nContent from @a.ts:2-3:\n", "2\n3", "\nContent from @b:2:\n", "whole"])
    })
  )

  it.effect("a colon or a quote after a name is text", () =>
    Effect.gen(function* () {
      const { parts } = yield* expand("look at '@a.ts': why?", { files: { "a.ts": "A" } })
      expect(parts[0]).toBe("look at ' @a.ts': why?")
    })
  )

  it.effect("media as data with a label; in a folder only when asked for", () =>
    Effect.gen(function* () {
      const files = { "img/a.png": PNG, "img/t.txt": "T", "bin.dat": new Uint8Array([0, 1, 2, 3]) }
      const named = yield* expand("@img/a.png @bin.dat", { files })
      expect(named.parts.slice(1)).toEqual([
        FRAME[0],
        "\nContent from @bin.dat:\n",
        "Cannot display content of binary file: bin.dat",
        "\nContent from @img/a.png:\n",
        "<image/png>",
        FRAME[1]
      ])
      const folder = yield* expand("@img", { files })
      expect(folder.parts).toHaveLength(5)
      expect(folder.notes).toContain("warning: @img/a.png was not attached: image files have to be named")
      const glob = yield* expand("@img/*.png", { files })
      expect(glob.parts).toContain("<image/png>")
    })
  )

  it.effect("a long file is cut, and says so in one line before its content", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 2100 }, (_, index) => `line ${index + 1}`).join("\n")
      const { parts } = yield* expand("@long.txt", { files: { "long.txt": lines } })
      expect(parts[3]?.split("\n")[0]).toBe(
        "[WARNING: this file is cut to lines 1-2000 of 2100; read_file shows the rest]"
      )
      expect(parts[3]).toEndWith("\nline 2000")
    })
  )

  it.effect("piped data stands before the prompt, and its @ stay text", () =>
    Effect.gen(function* () {
      const { parts, text } = yield* expand("why? @a.ts", { before: "error in @a.ts \\@x", files: { "a.ts": "A" } })
      expect(text).toBe("error in @a.ts \\@x\n\nwhy? @a.ts")
      expect(parts).toHaveLength(5)
      expect(parts[0]).toBe(text)
    })
  )
})

describe("what is found, and what is not", () => {
  it.effect("a name alone finds the file with the shortest path that contains it", () =>
    Effect.gen(function* () {
      const files = { "src/deep/widget.test.ts": "t", "src/deep/widget.ts": "w", "src/widget/other.ts": "o" }
      const found = yield* expand("@widget", { files })
      expect(found.parts[0]).toBe("@src/deep/widget.ts")
      const off = yield* expand("@widget", { files, isRecursive: false })
      expect(off.parts).toEqual(["@widget"])
    })
  )

  it.effect("ignored, protected and outside paths stay text, with the reason", () =>
    Effect.gen(function* () {
      const { notes, parts } = yield* expand((base) => `@x.log @.env @${base}/secret.txt @src/none.ts`, {
        isRepository: true,
        files: { ".gitignore": "*.log", "x.log": "L", ".env": "KEY=1" },
        prepare: (root) => writeFileSync(join(root, "../secret.txt"), "S")
      })
      expect(parts).toHaveLength(1)
      expect(notes).toEqual([
        "warning: @x.log was sent as text: ignore files hide it",
        "warning: @.env was sent as text: it is protected",
        "warning: @<base>/secret.txt was sent as text: it lies outside the workspace (--include-directories opens it)",
        "warning: @src/none.ts was sent as text: there is no such file"
      ])
    })
  )

  it.effect("a path outside is read when the person says so", () =>
    Effect.gen(function* () {
      const { parts } = yield* expand((base) => `@${base}/secret.txt`, {
        mayRead: true,
        prepare: (root) => writeFileSync(join(root, "../secret.txt"), "S")
      })
      expect(parts).toContain("S")
    })
  )

  it.effect("relative paths are tried in every workspace folder", () =>
    Effect.gen(function* () {
      const { parts } = yield* expand("@lib/x.ts", {
        include: ["second"],
        prepare: (root) => {
          mkdirSync(join(root, "../second/lib"), { recursive: true })
          writeFileSync(join(root, "../second/lib/x.ts"), "X")
        }
      })
      expect(parts.slice(0, 4)).toEqual([
        "@<base>/second/lib/x.ts",
        FRAME[0],
        "\nContent from @<base>/second/lib/x.ts:\n",
        "X"
      ])
    })
  )

  it.effect("hundreds of @ in pasted text and names that are no paths do no harm", () =>
    Effect.gen(function* () {
      const diff = Array.from({ length: 300 }, (_, index) => `@@ -${index} +1 @@ @User${index}`).join("\n")
      const { parts } = yield* expand(`${diff} @${"x".repeat(5000)} @a\u0000b`, { files: { "a.ts": "A" } })
      expect(parts).toHaveLength(1)
    })
  )
})
