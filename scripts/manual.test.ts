/**
 * Every example of the manual and of the README, as a reader would copy it: command lines name sub-commands, verbs and
 * options that exist; JSON is settings that are understood; TOML is rules; links lead somewhere.
 */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Either } from "effect"
import { parse as parseToml } from "smol-toml"
import { parse as parseYaml } from "yaml"
import { readCommandLine } from "../src/cli/command-line.ts"
import { subcommandFiles } from "../src/cli/subcommand-list.ts"
import { isSettingKey, settingKeys } from "../src/config/setting-table.ts"

const root = resolve(import.meta.dir, "..")
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
]

interface Example {
  readonly language: string
  readonly text: string
}

const examplesOf = (page: string): ReadonlyArray<Example> => {
  const text = readFileSync(join(root, page), "utf8")
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", body = ""]) => ({
    language,
    text: body
  }))
}

const AROUND = {
  env: {},
  stdinIsTerminal: true,
  stdoutIsTerminal: true,
  stderrIsTerminal: true,
  platform: "linux"
} as const

/** The arguments of every `gemini` that bash would start for these lines. Other programs are not there. */
const calls = async (script: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const folder = await mkdtemp(join(tmpdir(), "gemini-manual-"))
  try {
    const bin = join(folder, "bin")
    await mkdir(bin)
    const recorder = `#!/bin/sh\n{ for word; do printf '%s\\0' "$word"; done; printf '\\n'; } >> "$RECORD"\n`
    await writeFile(join(bin, "gemini"), recorder)
    await chmod(join(bin, "gemini"), 0o755)
    for (const [, file = ""] of script.matchAll(/<\s*([\w./-]+)/g)) {
      if (file.startsWith("/")) continue
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), "")
    }
    const record = join(folder, "record")
    const lines = script.replaceAll("scripts/gemini", "gemini").replace(/^[\d*]+( [\d*]+){4} /gm, "")
    const child = Bun.spawn(["/bin/bash", "-c", lines], {
      cwd: folder,
      env: { PATH: bin, RECORD: record, HOME: folder },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      timeout: 20_000
    })
    await child.exited
    const text = existsSync(record) ? await readFile(record, "utf8") : ""
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("\0").slice(0, -1))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const faultOf = async (argv: ReadonlyArray<string>): Promise<string | undefined> => {
  // `main.ts` answers it before anything is read.
  if (argv[0] === "--version") return undefined
  const read = readCommandLine(argv, AROUND)
  if (Either.isLeft(read)) return read.left.message
  if (read.right._tag !== "Subcommand") return undefined
  const { args, subcommand: row } = read.right.invocation
  const load = subcommandFiles[row.name]
  if (load === undefined) return `nothing runs ${row.name}`
  const { grammar, passesOptions } = (await load()).subcommand
  const verb = grammar.verbs.find(({ name }) => args.includes(name))
  if (verb !== undefined && passesOptions.includes(verb.name)) return undefined
  const known = [...grammar.options, ...(verb?.options ?? [])]
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const unknown = args
    .slice(0, end)
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/=.*/, "").replace(/^--?/, ""))
    .find(
      (name) => !["debug", "d", "help", "h"].includes(name) && !known.some((option) => namesOf(option).includes(name))
    )
  return unknown === undefined ? undefined : `gemini ${row.name} has no option ${unknown}`
}

const namesOf = ({ aliases = [], long, short }: { long: string; short?: string; aliases?: ReadonlyArray<string> }) => [
  long,
  `no-${long}`,
  ...(short === undefined ? [] : [short]),
  ...aliases
]

/** Keys of settings, at any depth, that no row of the table is or begins with. */
const unknownKeys = (value: unknown, prefix = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([key, inside]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`
    if (isSettingKey(path)) return []
    return settingKeys().some((known) => known.startsWith(`${path}.`)) ? unknownKeys(inside, path) : [path]
  })
}

describe.each(pages.map((page) => [page] as const))("%s", (page) => {
  const examples = examplesOf(page)

  test("command lines are understood", async () => {
    const script = examples
      .filter(({ language }) => language === "sh")
      .map(({ text }) => text)
      .join("\n")
    const found: Array<string> = []
    for (const argv of await calls(script)) {
      const fault = await faultOf(argv)
      if (fault !== undefined) found.push(`gemini ${argv.join(" ")}: ${fault}`)
    }
    expect(found).toEqual([])
  })

  test("settings are known, rules and workflows can be read", () => {
    for (const { language, text } of examples) {
      if (
        language === "json" &&
        /^\{\s*"(mcpServers|hooks|tools|security|model|general|telemetry|context)"/.test(text)
      ) {
        expect(unknownKeys(JSON.parse(text))).toEqual([])
      }
      if (language === "toml") expect(parseToml(text)).toBeDefined()
      if (language === "yaml") expect(parseYaml(text.replaceAll(/^---$/gm, ""))).toBeDefined()
    }
  })

  test("links lead somewhere", () => {
    const text = readFileSync(join(root, page), "utf8")
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target)
    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([])
  })
})

test("the index names every page", () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8")
  const missing = pages.filter(
    (page) => page.startsWith("docs/") && page !== "docs/README.md" && !index.includes(`(${page.slice(5)})`)
  )
  expect(missing).toEqual([])
})

/** Names of ours in quotes or behind a dot: what the sources read of the environment. Credentials of other parts too. */
const READ_VARIABLE =
  /(?:"|(?:variables|env|environment)\.)((?:GEMINI|GOOGLE_CLOUD|GOOGLE_GENAI|CODE_ASSIST|OAUTH_CALLBACK|OTEL|OTLP|SANDBOX|CODER)_[A-Z_]*[A-Z])\b/g

test("every variable that the program reads is in the manual", async () => {
  const manual = pages.map((page) => readFileSync(join(root, page), "utf8")).join("\n")
  const missing = new Set<string>()
  for await (const path of new Bun.Glob("src/**/*.ts").scan(root)) {
    if (path.endsWith(".test.ts")) continue
    for (const [, name = ""] of readFileSync(join(root, path), "utf8").matchAll(READ_VARIABLE))
      if (!manual.includes(`\`${name}\``)) missing.add(name)
  }
  expect([...missing]).toEqual([])
})
