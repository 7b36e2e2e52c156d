import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import type { Content } from "../../protocol/content.ts"
import { canonical, type NormalRequest, normalizer, type Place, RequestHashes } from "./normal-request.ts"

const machine = (root: string): ReadonlyArray<Place> => [
  { mark: "cwd", path: `${root}/work` },
  { mark: "project", path: `${root}/home/.gemini/tmp/work` },
  { mark: "user", path: `${root}/home/.gemini` },
  { mark: "tmp", path: `${root}/tmp` },
  { mark: "home", path: `${root}/home` }
]
const KEY = { name: "GEMINI_API_KEY", value: "a-key-of-this-machine" }
const normal = normalizer(machine("/srv/one"), [KEY])

const user = (text: string): Content => ({ role: "user", parts: [{ text }] })
const printed = (output: string): Content => ({
  role: "user",
  parts: [{ functionResponse: { id: "x", name: "run_shell_command", response: { output } } }]
})
const textOf = (content: Content): unknown => {
  const [part] = JSON.parse(normal.content(content)).parts
  return part.text ?? part.functionResponse.response.output
}

describe("what differs from run to run gives way to a mark", () => {
  test.each([
    ["/srv/one/work/src/a.ts and /srv/one/work.", "{cwd}/src/a.ts and {cwd}."],
    ["/srv/one/work2 /srv/one/work.old/x", "/srv/one/work2 /srv/one/work.old/x"],
    ["file:///srv/one/home/x", "file://{home}/x"],
    ["/srv/one/home/.gemini/tmp/work/memory/MEMORY.md", "{project}/memory/MEMORY.md"],
    ["/srv/one/home/.gemini/GEMINI.md", "{user}/GEMINI.md"],
    ["key a-key-of-this-machine!", "key {secret}!"],
    ["[REDACTED:GITHUB_TOKEN]", "{secret}"],
    ["ghp_0123456789012345678901234567890123456789", "{secret}"],
    ["at 2026-11-19T04:15:39.123Z", "at {time}"],
    ["at 2026-11-19 04:15:39 +0000.", "at {time}."],
    ["Thu Nov 19 04:15:39 UTC 2026", "{time}"],
    ["since 1795062051268", "since {time}"],
    ["id 0B5E8B7A-9B1F-4c7e-8a44-112233445566", "id {id}"],
    ["on 2026-11-19, wait 5s, pid: 12, abc1234", "on 2026-11-19, wait 5s, pid: 12, abc1234"]
  ])("%s", (text, expected) => {
    expect(textOf(user(text))).toBe(expected)
  })

  test.each([
    ["-rw-r--r-- 1 root root 8 Nov 19 04:20 a", "-rw-r--r-- 1 root root 8 {time} a"],
    ["Date:   Thu Nov 19 04:20:51 2026 +0000", "Date:   {time}"],
    ["commit 0953c4c5e14bcd1f9edf6052ae55a80e57381ce3", "commit {id}"],
    ["[main 0953c4c] x", "[main {id}] x"],
    ["Ran 3 tests in 0.123s (12 ms)", "Ran 3 tests in {duration} ({duration})"],
    ["real\t0m0.004s", "real\t{duration}"],
    ["Process Group PGID: 20855", "Process Group PGID: {pid}"],
    ["/srv/one/tmp/tmp.Hh8n5Dywru", "{tmp}/{id}"],
    ["12:04:05 started", "{time} started"]
  ])("as a program prints it: %s", (text, expected) => {
    expect(textOf(printed(text))).toBe(expected)
  })

  test("ids of calls, signatures, the surroundings of the session; pictures by their digest", () => {
    const content: Content = {
      role: "user",
      parts: [
        {
          text: "<session_context>\nToday is Monday.\nGit: x\n<loaded_context>\nkeep\n</loaded_context>\n</session_context>"
        },
        { functionCall: { id: "a", name: "n", args: { b: 1, a: 2 } }, thoughtSignature: "s" },
        { inlineData: { mimeType: "image/png", data: "AAAA" } }
      ]
    }
    expect(JSON.parse(normal.content(content)).parts).toEqual([
      { text: "<session_context>\n<loaded_context>\nkeep\n</loaded_context>\n</session_context>" },
      { functionCall: { name: "n", args: { a: 2, b: 1 } } },
      { inlineData: { mimeType: "image/png", data: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) } }
    ])
  })
})

/** Texts made of everything that the rules look for, side by side and inside each other. */
const piece = FastCheck.oneof(
  FastCheck.constantFrom(
    ...[
      "/srv/one/work",
      "/srv/one/home",
      "/srv/one/tmp/tmp.abcdefgh",
      "2026-11-19T04:15:39Z",
      "12:04:05",
      "0.5s",
      " ",
      "/",
      "."
    ],
    ...[
      "a-key-of-this-machine",
      "{cwd}",
      "{time}",
      "{",
      "}",
      "ghp_",
      "0123456789abcdef",
      "xoxb-",
      "://u:p@",
      "https",
      "\n",
      "é"
    ],
    ...[
      "Nov 19 04:20",
      "Thu Nov 19 04:20:51 2026",
      "pid: 7",
      "1795062051",
      "[REDACTED:X]",
      "-",
      "_",
      "1",
      "f",
      ":",
      "sha256:"
    ]
  ),
  FastCheck.string({ maxLength: 4 })
)
const anyText = FastCheck.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""))
const anyJson = FastCheck.object({
  maxDepth: 2,
  key: FastCheck.string({ maxLength: 4 }),
  values: [anyText, FastCheck.integer(), FastCheck.boolean(), FastCheck.constant(null)]
})
const anyPart = FastCheck.oneof(
  FastCheck.record({ text: anyText }),
  FastCheck.record({ text: anyText.map((text) => `<session_context>\n${text}`) }),
  FastCheck.record({ functionCall: FastCheck.record({ id: anyText, name: FastCheck.constant("t"), args: anyJson }) }),
  FastCheck.record({
    functionResponse: FastCheck.record({ id: anyText, name: FastCheck.constant("t"), response: anyJson })
  }),
  FastCheck.record({ inlineData: FastCheck.record({ mimeType: FastCheck.constant("image/png"), data: anyText }) })
)
const anyContents: FastCheck.Arbitrary<ReadonlyArray<Content>> = FastCheck.array(
  FastCheck.record({
    role: FastCheck.constantFrom("user" as const, "model" as const),
    parts: FastCheck.array(anyPart, { maxLength: 3 })
  }),
  { maxLength: 4 }
)
const anyHead = FastCheck.record({
  call: FastCheck.constant("stream" as const),
  model: anyText,
  system: anyText,
  config: anyJson
})

const again = ({ contents, head }: NormalRequest) =>
  normal.request(
    head,
    contents.map((line) => JSON.parse(line))
  )

/** Keys the other way round, everywhere. */
const reordered = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(reordered)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, inner]) => [key, reordered(inner)])
        )
      : value

const hash = (request: NormalRequest) => new RequestHashes().of(request)
const seeded = { seed: 7, numRuns: 300 }

describe("for any request", () => {
  test("normalising again changes nothing", () => {
    FastCheck.assert(
      FastCheck.property(anyHead, anyContents, (head, contents) => {
        const once = normal.request(head, contents)
        expect(again(once)).toEqual(once)
      }),
      seeded
    )
  })

  test("the order of keys does not count", () => {
    FastCheck.assert(
      FastCheck.property(anyHead, anyContents, (head, contents) => {
        const turned = normal.request(reordered(head) as typeof head, reordered(contents) as typeof contents)
        expect(hash(turned)).toBe(hash(normal.request(head, contents)))
      }),
      seeded
    )
  })

  test("machine, folder and moment do not count, wherever words of theirs stand by themselves", () => {
    const words = FastCheck.array(FastCheck.oneof(piece, FastCheck.constant("/srv/one/work/a.txt")), { maxLength: 8 })
    const anyWords = words.map((pieces) => pieces.join(" "))
    const anyTalk = FastCheck.array(
      FastCheck.oneof(
        anyWords.map(user),
        anyWords.map(printed),
        anyWords.map((text) => user(`<session_context>\n${text}\n</session_context>`))
      ),
      { maxLength: 4 }
    )
    const anyTask = FastCheck.record({
      call: FastCheck.constant("stream" as const),
      model: FastCheck.constant("m"),
      system: anyWords
    })
    const there = normalizer(machine("/home/u/other place"), [{ name: "K", value: "quite-another-key" }])
    const moved = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll("/srv/one", "/home/u/other place")
          .replaceAll("a-key-of-this-machine", "quite-another-key")
          .replaceAll("2026-11-19T04:15:39Z", "2031-02-01T23:59:01Z")
          .replaceAll("1795062051", "1895062052")
      )
    FastCheck.assert(
      FastCheck.property(anyTask, anyTalk, (head, contents) => {
        const request = there.request(moved(head) as typeof head, moved(contents) as typeof contents)
        expect(request).toEqual(normal.request(head, contents))
      }),
      seeded
    )
  })
})

test("the hash of a conversation that grows is that of the whole", () => {
  const hashes = new RequestHashes()
  const head = { call: "stream", model: "m" } as const
  const contents = ["a", "b", "c", "d"].map(user)
  for (const length of [1, 3, 4, 2, 4]) {
    const request = normal.request(head, contents.slice(0, length))
    expect(hashes.of(request)).toBe(hash(request))
  }
})

test("tools stand in any order", () => {
  const declared = (...names: ReadonlyArray<string>) =>
    normal.request(
      { call: "stream", model: "m", config: { tools: [{ functionDeclarations: names.map((name) => ({ name })) }] } },
      []
    )
  expect(declared("b", "a")).toEqual(declared("a", "b"))
  expect(canonical({ b: { d: 1, c: 2 }, a: [] })).toBe('{"a":[],"b":{"c":2,"d":1}}')
})
