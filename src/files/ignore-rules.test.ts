import { expect } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { type IgnoreOptions, ignoreRules } from "./ignore-rules.ts"

const setup = Effect.fnUntraced(function* (
  files: Record<string, string>,
  options: Partial<IgnoreOptions> & { readonly isRepository?: boolean; readonly below?: string } = {}
) {
  const folder = yield* tempFolder(files)
  if (options.isRepository !== false) mkdirSync(join(folder, ".git/info"), { recursive: true })
  const root = join(folder, options.below ?? "")
  mkdirSync(root, { recursive: true })
  const rules = ignoreRules({ root, respectGitIgnore: true, respectGeminiIgnore: true, customFiles: [], ...options })
  return (path: string) => rules.ignores(join(root, path.replace(/\/$/, "")), path.endsWith("/"))
})

const hidden = (ignores: (path: string) => boolean, paths: ReadonlyArray<string>) => paths.filter(ignores)

it.live("nested files, anchors, folders-only and negation", () =>
  Effect.gen(function* () {
    const ignores = yield* setup({
      ".gitignore": "*.log\n/top\nbuild/\n!keep.log\n# comment\n\n",
      "sub/.gitignore": "/local\n!extra.log\nnested/deep\n",
      ".git/info/exclude": "private\n"
    })
    const all = [
      "a.log",
      "keep.log",
      "top",
      "sub/top",
      "build/",
      "build",
      "build/x",
      "sub/build/y",
      "private",
      "sub/local",
      "local"
    ]
    expect(
      hidden(ignores, [...all, "sub/extra.log", "sub/other.log", "sub/nested/deep", "nested/deep", "sub/x/local"])
    ).toEqual([
      "a.log",
      "top",
      "build/",
      "build/x",
      "sub/build/y",
      "private",
      "sub/local",
      "sub/other.log",
      "sub/nested/deep"
    ])
  })
)

it.live("git's rules hold only inside a repository, also from above the project", () =>
  Effect.gen(function* () {
    const outside = yield* setup({ ".gitignore": "a" }, { isRepository: false })
    expect(outside("a")).toBe(false)
    const below = yield* setup({ ".gitignore": "a\n/b\n/pkg/c" }, { below: "pkg" })
    expect(hidden(below, ["a", "b", "c"])).toEqual(["a", "c"])
  })
)

it.live("ours win over git's, custom over ours, the first custom file over the others", () =>
  Effect.gen(function* () {
    const ignores = yield* setup(
      {
        ".gitignore": "one\ntwo\nthree/",
        ".geminiignore": "!one\nfour\nfive\n!three/\n",
        "weak.ignore": "!four\n!five\nsix",
        "strong.ignore": "five\n!six"
      },
      { customFiles: ["strong.ignore", "weak.ignore", "missing.ignore"] }
    )
    expect(hidden(ignores, ["one", "two", "three/", "three/x", "four", "five", "six"])).toEqual(["two", "five"])
  })
)

it.live("each kind can be switched off", () =>
  Effect.gen(function* () {
    const files = { ".gitignore": "g", ".geminiignore": "m" }
    expect(hidden(yield* setup(files, { respectGitIgnore: false }), ["g", "m"])).toEqual(["m"])
    expect(hidden(yield* setup(files, { respectGeminiIgnore: false }), ["g", "m"])).toEqual(["g"])
  })
)

it.live("a repository inside another one has its own rules, unless it is hidden as a whole", () =>
  Effect.gen(function* () {
    const ignores = yield* setup({
      ".gitignore": "x\nhidden/",
      "inner/.git/HEAD": "",
      "inner/.gitignore": "y",
      "hidden/.git/HEAD": ""
    })
    expect(hidden(ignores, ["x", "inner/x", "inner/y", "inner/a/y", "hidden/z"])).toEqual([
      "x",
      "inner/y",
      "inner/a/y",
      "hidden/z"
    ])
  })
)

it.live("odd folder names, byte order marks and CRLF do not break the rules", () =>
  Effect.gen(function* () {
    const ignores = yield* setup({ ".gitignore": "\ufeffa\r\nb\r\n", "[odd] #!*/.gitignore": "secret\n" })
    expect(hidden(ignores, ["a", "b", "[odd] #!*/secret", "o/secret", "[odd] #!*/x/secret"])).toEqual([
      "a",
      "b",
      "[odd] #!*/secret",
      "[odd] #!*/x/secret"
    ])
  })
)

it.live("nothing outside the project is ignored, nor the project itself", () =>
  Effect.gen(function* () {
    const ignores = yield* setup({ ".gitignore": "*" })
    expect(hidden(ignores, ["", "../x", "x"])).toEqual(["x"])
  })
)
