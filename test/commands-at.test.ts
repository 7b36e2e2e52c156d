/** Files that a headless prompt refers to: what the model gets, and what the person is told. */
import { describe, expect, test } from "bun:test"
import { mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { documentOf, eventsOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions } from "./kit/run-gemini.ts"

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)
const PDF = Buffer.from("%PDF-1.4\n%\u00e2\u00e3\n1 0 obj\n")
const WAV = Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVEfmt "), Buffer.alloc(64)])

interface Body {
  readonly contents: ReadonlyArray<{
    readonly parts: ReadonlyArray<{ readonly text?: string; readonly inlineData?: { readonly mimeType: string } }>
  }>
}

interface Asked extends RunOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly args?: ReadonlyArray<string>
  readonly prepare?: (root: string) => Promise<void>
}

/** One run; the parts of the prompt as the model got them, without the surroundings. */
const ask = async (prompt: string, { args = [], files = {}, prepare, ...options }: Asked = {}) => {
  await using server = await startModelServer(() => say("ok"), { strict: true })
  await using place = await newWorkspace()
  for (const [path, content] of Object.entries(files)) await place.write(`work/${path}`, content)
  await prepare?.(place.root)
  const result = await place.run(prompt === "" ? args : ["-p", prompt, ...args], { server, ...options })
  const body = server.generations[0]?.body as Body | undefined
  const parts = (body?.contents[0]?.parts ?? []).slice(1)
  const clean = (text: string) => text.replaceAll(place.root, "<root>")
  return {
    result: { ...result, stderr: clean(result.stderr) },
    parts: parts.map(({ inlineData, text }) => clean(text ?? `<${inlineData?.mimeType}>`))
  }
}

const FRAME = ["\n--- Content from referenced files ---", "\n--- End of content ---"] as const

describe("attached", () => {
  test("a file, in the parts that scripts know", async () => {
    const { parts, result } = await ask("explain @src/x.ts now", { files: { "src/x.ts": "export const x = 1\n" } })
    expect(parts).toEqual([
      "explain @src/x.ts now",
      FRAME[0],
      "\nContent from @src/x.ts:\n",
      "export const x = 1",
      FRAME[1]
    ])
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" })
    expect(result.stderr).toContain("[INFO] attached 1 file (18 bytes): src/x.ts")
  })

  test("a folder without what git ignores; media only when named; each with its type", async () => {
    const files = {
      ".gitignore": "secret.txt\n",
      "d/a.txt": "A",
      "d/secret.txt": "S",
      "d/p.png": PNG,
      "paper.pdf": PDF,
      "sound.wav": WAV
    }
    const prepare = (root: string) => mkdir(join(root, "work/.git")).then(() => {})
    const folder = await ask("@d", { files, prepare })
    expect(folder.parts).toEqual(["@d/**", FRAME[0], "\nContent from @d/a.txt:\n", "A", FRAME[1]])
    expect(folder.result.stderr).toContain("[WARNING] @d/p.png was not attached: image files have to be named")
    const media = await ask("@d/p.png @paper.pdf @sound.wav", { files, prepare })
    expect(media.parts.filter((part) => part.startsWith("<"))).toEqual([
      "<image/png>",
      "<application/pdf>",
      "<audio/wav>"
    ])
  })

  test("lines of a file, and names with spaces", async () => {
    const { parts } = await ask('@a.txt:2-3 @"b c.txt" @b\\ c.txt', {
      files: { "a.txt": "1\n2\n3\n4", "b c.txt": "BC" }
    })
    expect(parts.slice(1)).toEqual([
      FRAME[0],
      "\nContent from @a.txt:2-3:\n",
      "2\n3",
      "\nContent from @b c.txt:\n",
      "BC",
      FRAME[1]
    ])
  })

  test("what is attached counts as read: a later write is not refused", async () => {
    const { parts } = await ask("@GEMINI.md", { files: { "GEMINI.md": "be kind" } })
    expect(parts[3]).toBe("be kind")
  })
})

describe("left as text", () => {
  test("a missing file is a warning, never an error", async () => {
    const { parts, result } = await ask("explain @src/none.ts")
    expect(parts).toEqual(["explain @src/none.ts"])
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toContain("[WARNING] @src/none.ts was sent as text: there is no such file")
  })

  test("an address, an escaped @ and an @ alone say nothing about it", async () => {
    const { parts, result } = await ask("mail me@example.org, \\@you and @ home")
    expect(parts).toEqual(["mail me@example.org, @you and @ home"])
    expect(result.stderr).toBe("")
  })

  test("files outside the workspace, also behind links, and protected ones", async () => {
    const { parts, result } = await ask("@/etc/hostname @link.txt @.env", {
      files: { ".env": "KEY=1" },
      prepare: (root) => symlink("/etc/hostname", join(root, "work/link.txt"))
    })
    expect(parts).toHaveLength(1)
    expect(result.stderr.match(/was sent as text/g)).toHaveLength(3)
  })

  test("@ in piped data, beside a prompt whose own @ count", async () => {
    const { parts } = await ask("why? @a.txt", { files: { "a.txt": "A" }, stdin: { pipe: "error in @a.txt\n" } })
    expect(parts[0]).toBe("error in @a.txt\n\n\nwhy? @a.txt")
    expect(parts.filter((part) => part.startsWith("\nContent from"))).toHaveLength(1)
  })
})

test("standard input that is the prompt is read as one", async () => {
  const { parts } = await ask("", { files: { "a.txt": "A" }, stdin: { pipe: "see @a.txt" } })
  expect(parts.slice(0, 4)).toEqual(["see @a.txt", FRAME[0], "\nContent from @a.txt:\n", "A"])
})

test("the documents of scripts show the prompt as typed, and warnings", async () => {
  const files = { "a.txt": "A" }
  const json = await ask("@a.txt @b/none.txt", { files, args: ["-o", "json"] })
  expect(documentOf(json.result)).toMatchObject({
    response: "ok",
    warnings: ["@b/none.txt was sent as text: there is no such file"]
  })
  const stream = await ask("@a.txt", { files, args: ["-o", "stream-json"] })
  expect(eventsOf(stream.result).find((event) => event.role === "user")).toMatchObject({ content: "@a.txt" })
})

test("an estimate counts what is attached", async () => {
  const files = { "big.txt": "some words of text\n".repeat(1000) }
  const estimate = async (prompt: string) => {
    const { result } = await ask(prompt, { files, args: ["--estimate", "-o", "json"] })
    return JSON.stringify(documentOf(result))
  }
  const tokens = (document: string) => Number(/"prompt","name":"prompt","tokens":(\d+)/.exec(document)?.[1])
  expect(tokens(await estimate("@big.txt"))).toBeGreaterThan(tokens(await estimate("big.txt")) + 3000)
})
