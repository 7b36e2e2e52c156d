/**
 * Nothing is accepted and then ignored: every kind of file that people write is given a key that nobody reads. A run says
 * which, `gemini config validate` finds the same without a model, and a rule never allows more because of it.
 */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const HOME = "home/.gemini"
const EXTENSION = `${HOME}/extensions/ex`
const HOOK = { type: "command", command: "true" }

interface Misspelt {
  readonly file: string
  readonly text: string
  /** The key, and what it was meant to be; without that the key is only named. */
  readonly keys: Readonly<Record<string, string>>
}

const json = (value: unknown) => JSON.stringify(value)

const FILES: ReadonlyArray<Misspelt> = [
  {
    file: `${HOME}/settings.json`,
    text: json({
      mcpServers: { a: { comand: "node" }, b: { url: "http://127.0.0.1:1/", timout: 3 } },
      hooks: { BeforeTol: [], AfterTool: [{ matchr: "x", hooks: [{ ...HOOK, timout: 3 }] }] },
      general: { vimmode: true },
      agents: { overrides: { x: { enabld: true } } },
      modelConfigs: { customAliases: { q: { modelConfg: {} } } },
      telemetry: { enabld: true }
    }),
    keys: {
      comand: "command",
      matchr: "matcher",
      vimmode: "general.vimMode",
      "hooks.BeforeTol": "hooks.BeforeTool",
      "agents.overrides.x.enabld": "enabled",
      "customAliases.q.modelConfg": "modelConfig",
      "telemetry.enabld": "enabled"
    }
  },
  {
    file: `${HOME}/hooks.toml`,
    text: '[[hooks.BeforeTool]]\nsequental = true\nhooks = [{ type = "command", command = "true", nam = "x" }]\n',
    keys: { sequental: "sequential", nam: "name" }
  },
  {
    file: `${HOME}/agents/a.md`,
    text: "---\nname: aa\ndescription: d\nmax_turn: 3\n---\nYou are a.",
    keys: { max_turn: "" }
  },
  {
    file: `${HOME}/skills/sk/SKILL.md`,
    text: "---\nname: sk\ndescription: d\ndisabeld: true\nlicense: MIT\n---\nDo it.",
    keys: { disabeld: "disabled" }
  },
  { file: `${HOME}/commands/c.toml`, text: 'prompt = "hi"\ndescripton = "x"\n', keys: { descripton: "description" } },
  {
    file: `${HOME}/policies/p.toml`,
    text: `[[rule]]
toolName = "run_shell_command"
comandPrefix = "echo"
decision = "allow"
priority = 500
[[rule]]
toolName = "glob"
decision = "deny"
priority = 500
denyMesage = "no"
`,
    keys: { comandPrefix: "commandPrefix", denyMesage: "denyMessage" }
  },
  {
    file: `${EXTENSION}/gemini-extension.json`,
    text: json({
      name: "ex",
      version: "1.0.0",
      contextFilName: "X.md",
      settings: [{ name: "K", envVar: "K", sensitve: true }]
    }),
    keys: { contextFilName: "contextFileName", "settings.0.sensitve": "sensitive" }
  },
  {
    file: `${EXTENSION}/hooks.json`,
    text: json({ hooks: { AfterTool: [{ hooks: [{ ...HOOK, descripion: "x" }] }] } }),
    keys: { descripion: "description" }
  },
  {
    file: `${EXTENSION}/agents/b.md`,
    text: "---\nname: bb\ndescription: d\ntols: [x]\n---\nYou are b.",
    keys: { tols: "" }
  },
  {
    file: `${EXTENSION}/commands/d.toml`,
    text: 'prompt = "hi"\nmodl = "x"\n',
    keys: { modl: "" }
  }
]

const told = (lines: string): ReadonlyArray<string> =>
  FILES.flatMap(({ file, keys }) =>
    Object.entries(keys)
      .filter(
        ([key, meant]) =>
          !lines
            .split("\n")
            .some((line) => line.includes(key) && line.includes(meant === "" ? key : `did you mean ${meant}?`))
      )
      .map(([key]) => `${file}: ${key}`)
  )

test("a key that nobody reads is told by a run and found by config validate, in every kind of file", async () => {
  await using place = await newWorkspace()
  for (const { file, text } of FILES) await place.write(file, text)
  await using server = await startModelServer([ask(call("run_shell_command", { command: "rm -f x" })), say("done")])
  const run = await place.run(["-p", "/c", "-o", "json"], { server })
  expect(told(run.stderr)).toEqual([])
  // The rule that was meant for echo allows nothing at all.
  expect(JSON.parse(run.stdout)).toMatchObject({ response: "done" })
  expect(JSON.parse(run.stdout).permission_denials ?? []).toHaveLength(1)

  const validated = await place.run(["config", "validate", "--json"])
  expect(validated.exitCode).toBe(1)
  const { findings } = JSON.parse(validated.stdout)
  expect(told(findings.map((one: unknown) => JSON.stringify(one).replaceAll('\\"', '"')).join("\n"))).toEqual([])
  for (const { file } of FILES) {
    expect(findings.map((one: { readonly file: string }) => one.file)).toContain(
      `${place.home}/${file.slice("home/".length)}`
    )
  }
})
