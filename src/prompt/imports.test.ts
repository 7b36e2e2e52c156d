import { describe, expect, test } from "bun:test"
import { posix } from "node:path"
import { FastCheck } from "effect"
import { type ImportFormat, type ImportReader, MAX_IMPORTED_LENGTH, resolveImports } from "./imports.ts"

/** A project in memory with the border `/p`. */
const readerOf =
  (files: Readonly<Record<string, string>>): ImportReader =>
  (name, from) => {
    const path = posix.resolve(posix.dirname(from), name)
    if (!path.startsWith("/p/")) return { kind: "outside", reason: "Path traversal attempt" }
    const text = Object.hasOwn(files, path) ? files[path] : undefined
    return text === undefined
      ? { kind: "missing", reason: "there is no such file" }
      : { kind: "file", path, identity: path, text }
  }

const resolve = (text: string, files: Readonly<Record<string, string>> = {}, format: ImportFormat = "tree") =>
  resolveImports({
    format,
    file: { kind: "file", path: "/p/GEMINI.md", identity: "/p/GEMINI.md", text },
    read: readerOf({ "/p/GEMINI.md": text, ...files })
  })

const imported = (name: string, text: string): string =>
  `<!-- Imported from: ${name} -->\n${text}\n<!-- End of import from: ${name} -->`

describe("tree", () => {
  const files = { "/p/a.md": "A", "/p/LICENSE": "L", "/p/docs/b.md": "B @c.md", "/p/docs/c.md": "C" }
  test.each<[string, string, string]>([
    ["a file beside it", "see @a.md here", `see ${imported("a.md", "A")} here`],
    ["a path with ./", "@./a.md", imported("./a.md", "A")],
    ["an absolute path inside", "@/p/a.md", imported("/p/a.md", "A")],
    ["a name without a dot that exists", "@LICENSE", imported("LICENSE", "L")],
    [
      "imports of imports, relative to their own folder",
      "@docs/b.md",
      imported("docs/b.md", `B ${imported("c.md", "C")}`)
    ],
    [
      "the end of a sentence",
      "See @a.md, or (not) @docs/c.md.",
      `See ${imported("a.md", "A")}, or (not) ${imported("docs/c.md", "C")}.`
    ],
    ["a missing file", "@nope.md", "<!-- Import failed: nope.md - there is no such file -->"],
    ["a way out", "@../../etc/passwd", "<!-- Import failed: ../../etc/passwd - Path traversal attempt -->"],
    ["an absolute path outside", "@/etc/passwd", "<!-- Import failed: /etc/passwd - Path traversal attempt -->"],
    ["an address", "@https://x.test/a.md", "<!-- Import failed: https://x.test/a.md - addresses are not imported -->"],
    ["the file itself", "@GEMINI.md", "<!-- File already processed: GEMINI.md -->"],
    ["a handle in prose", "ask @alice or @bob, thanks @carol.", "ask @alice or @bob, thanks @carol."],
    ["an address of mail", "a@a.md", "a@a.md"],
    ["an @ alone, a number, dots", "@ @1.md @...", "@ @1.md @..."],
    ["a span", "`@a.md` and ``x ` @a.md``", "`@a.md` and ``x ` @a.md``"],
    ["a fence", "```\n@a.md\n```\n@a.md", `\`\`\`\n@a.md\n\`\`\`\n${imported("a.md", "A")}`],
    ["a fence that never ends", "~~~ts\n@a.md\n", "~~~ts\n@a.md\n"],
    ["a lone backtick", "it`s @a.md", `it\`s ${imported("a.md", "A")}`],
    ["the same file twice", "@a.md\n@a.md", `${imported("a.md", "A")}\n${imported("a.md", "A")}`]
  ])("%s", (_, text, expected) => {
    expect(resolve(text, files).text).toBe(expected)
  })

  test("a cycle ends where it closes", () => {
    const { text } = resolve("@a.md", { "/p/a.md": "@b.md", "/p/b.md": "@a.md" })
    expect(text).toBe(imported("a.md", imported("b.md", "<!-- File already processed: a.md -->")))
  })

  test("five levels are brought in, the sixth stays text", () => {
    const chain = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((level) => [`/p/${level}.md`, `L${level} @./${level + 1}.md`])
    )
    const { text } = resolve("@./1.md", chain)
    expect(text).toContain("L5 @./6.md")
    expect(text).not.toContain("L6")
  })

  test("faults are told once each", () => {
    expect(resolve("@no.md @no.md @../x.md").faults).toEqual([
      "@no.md: there is no such file",
      "@../x.md: Path traversal attempt"
    ])
  })
})

describe("flat", () => {
  test("every file once, after the one that names it, its text untouched", () => {
    const files = { "/p/a.md": "A @b.md", "/p/b.md": "B @a.md" }
    expect(resolve("top @a.md @b.md", files, "flat")).toEqual({
      text: [
        "--- File: /p/GEMINI.md ---\ntop @a.md @b.md\n--- End of File: /p/GEMINI.md ---",
        "--- File: /p/a.md ---\nA @b.md\n--- End of File: /p/a.md ---",
        "--- File: /p/b.md ---\nB @a.md\n--- End of File: /p/b.md ---"
      ].join("\n\n"),
      imported: ["/p/a.md", "/p/b.md"],
      faults: []
    })
  })
})

test("files that multiply themselves end at the upper size", () => {
  const files = Object.fromEntries(
    [1, 2, 3, 4, 5].map((level) => [`/p/${level}.md`, `@./${level + 1}.md `.repeat(100) + "x".repeat(1000)])
  )
  const { faults, text } = resolve("@./1.md", { ...files, "/p/6.md": "y" })
  expect(text.length).toBeLessThan(2 * MAX_IMPORTED_LENGTH)
  expect(faults.length).toBeLessThan(500)
})

/** Texts out of names that exist, names that do not, and the marks that make code of them. */
const words = FastCheck.constantFrom(
  "@a.md",
  "@b.md",
  "@c/d.md",
  "@e",
  "@nope.md",
  "@../out",
  "word",
  "`",
  "``",
  "```",
  "~~~",
  "\n",
  "\n\n",
  " ",
  "@"
)
const textArb = FastCheck.array(words, { maxLength: 40 }).map((parts) => parts.join(" "))
const project = FastCheck.record({ "/p/a.md": textArb, "/p/b.md": textArb, "/p/c/d.md": textArb, "/p/e": textArb })

test("whatever imports whatever: it ends, within bounds, and brings in nothing from outside", () => {
  FastCheck.assert(
    FastCheck.property(
      textArb,
      project,
      FastCheck.constantFrom<ImportFormat>("tree", "flat"),
      (text, files, format) => {
        const result = resolve(text, files, format)
        expect(result.text.length).toBeLessThan(4 * MAX_IMPORTED_LENGTH)
        for (const path of result.imported) expect(Object.hasOwn(files, path)).toBe(true)
        expect(new Set(result.imported).size).toBe(result.imported.length)
      }
    ),
    { numRuns: 150 }
  )
})

test("a text without an import stays as it is", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.string(), (text) => {
      const plain = text.replaceAll("@", "")
      expect(resolve(plain).text).toBe(plain)
    })
  )
})
