/** Links and names with which a project would show the model what it must not see; and those of the user, which it may. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const SECRET = "the-secret-words"

const link = (place: Workspace, from: string, to: string) => {
  mkdirSync(dirname(join(place.root, from)), { recursive: true })
  symlinkSync(join(place.root, to), join(place.root, from))
}

const SKILL = `---\nname: helper\ndescription: helps ${SECRET}\n---\n${SECRET}\n`
const COMMAND = `prompt = "say ${SECRET}"\ndescription = "d"\n`
const AGENT = `---\nname: helper\ndescription: helps ${SECRET}\n---\n${SECRET}\n`

interface Attempt {
  readonly prepare: (place: Workspace) => Promise<unknown>
  readonly prompt?: string
  readonly env?: Readonly<Record<string, string>>
  /** What the person is told. */
  readonly told: string
  readonly exitCode?: number
}

const attempts: Readonly<Record<string, Attempt>> = {
  "a context file that is a link out": {
    prepare: async (place) => {
      await place.write("out/x.md", SECRET)
      link(place, "work/GEMINI.md", "out/x.md")
    },
    told: "work/GEMINI.md is not used as context: it leads out of the project"
  },
  "a context file that is a link to variables": {
    prepare: async (place) => {
      await place.write("work/.env", `X=${SECRET}`)
      link(place, "work/GEMINI.md", "work/.env")
    },
    told: "has a name that is kept closed (.env)"
  },
  "a setting that calls variables context": {
    prepare: async (place) => {
      await place.write("work/.env.local", `X=${SECRET}`)
      await place.write("work/.gemini/settings.json", '{ "context": { "fileName": [".env.local"] } }')
    },
    told: "has a name that is kept closed (.env.local)"
  },
  "an import of variables": {
    prepare: async (place) => {
      await place.write("work/.env", `X=${SECRET}`)
      await place.write("work/GEMINI.md", "see @.env")
    },
    told: "@.env: it has a name that is kept closed (.env)"
  },
  "an import through a link": {
    prepare: async (place) => {
      await place.write("out/x.md", SECRET)
      await place.write("work/GEMINI.md", "see @./notes.md")
      link(place, "work/notes.md", "out/x.md")
    },
    told: "@./notes.md: it leads out of the project"
  },
  "an import of a key": {
    prepare: async (place) => {
      await place.write("work/GEMINI.md", "see @./tls/server.key")
      await place.write("work/tls/server.key", SECRET)
    },
    told: "has a name that is kept closed (server.key)"
  },
  "a skill that is a link out": {
    prepare: async (place) => {
      await place.write("out/helper/SKILL.md", SKILL)
      link(place, "work/.gemini/skills/helper", "out/helper")
    },
    told: "SKILL.md is left out: it leads out of the project"
  },
  "a skill file that is a link out": {
    prepare: async (place) => {
      await place.write("out/x.md", SKILL)
      link(place, "work/.agents/skills/helper/SKILL.md", "out/x.md")
    },
    told: "SKILL.md is left out: it leads out of the project"
  },
  "a command that is a link out": {
    prepare: async (place) => {
      await place.write("out/leak.toml", COMMAND)
      link(place, "work/.gemini/commands/leak.toml", "out/leak.toml")
    },
    prompt: "/leak",
    told: "leak.toml: the file leads out of the project",
    exitCode: 42
  },
  "a folder of commands that is a link out": {
    prepare: async (place) => {
      await place.write("out/c/leak.toml", COMMAND)
      link(place, "work/.gemini/commands", "out/c")
    },
    prompt: "/leak",
    told: "leak.toml: the file leads out of the project",
    exitCode: 42
  },
  "a command that puts in variables": {
    prepare: async (place) => {
      await place.write("work/.env", `X=${SECRET}`)
      await place.write("work/.gemini/commands/leak.toml", 'prompt = "say @{.env}"\n')
    },
    prompt: "/leak",
    told: "@{.env}"
  },
  "a command that puts in what is linked": {
    prepare: async (place) => {
      await place.write("out/x.md", SECRET)
      await place.write("work/.gemini/commands/leak.toml", 'prompt = "say @{notes.md}"\n')
      link(place, "work/notes.md", "out/x.md")
    },
    prompt: "/leak",
    told: "@{notes.md}"
  },
  "an agent that is a link out": {
    prepare: async (place) => {
      await place.write("out/helper.md", AGENT)
      link(place, "work/.gemini/agents/helper.md", "out/helper.md")
    },
    told: "helper.md: the file leads out of the project"
  },
  "an ignore file that is a link out": {
    prepare: async (place) => {
      await place.write("out/ignore", SECRET)
      link(place, "work/.geminiignore", "out/ignore")
    },
    told: ".geminiignore is not used: it leads out of the project"
  },
  "a system prompt that is a link out": {
    prepare: async (place) => {
      await place.write("out/x.md", SECRET)
      link(place, "work/.gemini/system.md", "out/x.md")
    },
    env: { GEMINI_SYSTEM_MD: "1" },
    told: "leads out of the project",
    exitCode: 52
  },
  "a system prompt that the project's variables name": {
    prepare: async (place) => {
      const file = await place.write("out/x.md", SECRET)
      await place.write("work/.env", `GEMINI_SYSTEM_MD=${file}`)
    },
    told: "leads out of the project",
    exitCode: 52
  },
  "a system prompt that variables in the home folder name, outside of it": {
    prepare: async (place) => {
      const file = await place.write("out/x.md", SECRET)
      await place.write("home/.env", `GEMINI_SYSTEM_MD=${file}`)
    },
    told: "leads out of the project",
    exitCode: 52
  }
}

describe("what a project must not bring", () => {
  test.each(Object.entries(attempts))("%s", async (_, { env = {}, exitCode = 0, prepare, prompt = "go", told }) => {
    await using place = await newWorkspace()
    await prepare(place)
    await using server = await startModelServer([say("done")])
    const run = await place.run(["-p", prompt, "--yolo"], { server, env })
    expect(run.stderr).toContain(told)
    expect(run.exitCode).toBe(exitCode)
    expect(JSON.stringify(server.generations)).not.toContain(SECRET)
    expect(run.stdout + run.stderr).not.toContain(SECRET)
  })

  test("a context file below, which a tool comes across", async () => {
    await using place = await newWorkspace()
    await place.write("out/x.md", SECRET)
    await place.write("work/sub/a.txt", "a")
    link(place, "work/sub/GEMINI.md", "out/x.md")
    await using server = await startModelServer([ask(call("read_file", { file_path: "sub/a.txt" })), say("done")])
    await place.run(["-p", "go"], { server })
    expect(server.generations).toHaveLength(2)
    expect(JSON.stringify(server.generations)).not.toContain(SECRET)
  })
})

describe("what the user may", () => {
  const own: Readonly<Record<string, readonly [prepare: Attempt["prepare"], prompt: string]>> = {
    "link the context file": [
      async (place) => {
        await place.write("out/x.md", SECRET)
        link(place, "home/.gemini/GEMINI.md", "out/x.md")
      },
      "go"
    ],
    "import through a link": [
      async (place) => {
        await place.write("out/x.md", SECRET)
        await place.write("home/.gemini/GEMINI.md", "see @./notes.md")
        link(place, "home/.gemini/notes.md", "out/x.md")
      },
      "go"
    ],
    "link a skill": [
      async (place) => {
        await place.write("out/helper/SKILL.md", SKILL)
        link(place, "home/.gemini/skills/helper", "out/helper")
      },
      "go"
    ],
    "link commands": [
      async (place) => {
        await place.write("out/c/leak.toml", COMMAND)
        link(place, "home/.gemini/commands", "out/c")
      },
      "/leak"
    ],
    "link inside the project": [
      async (place) => {
        await place.write("work/docs/rules.md", SECRET)
        link(place, "work/GEMINI.md", "work/docs/rules.md")
      },
      "go"
    ],
    "name a system prompt of the project in its variables": [
      async (place) => {
        await place.write("work/docs/system.md", SECRET)
        await place.write("work/.env", "GEMINI_SYSTEM_MD=docs/system.md")
      },
      "go"
    ],
    "name one of the home folder in the variables there": [
      async (place) => {
        await place.write("home/prompts/system.md", SECRET)
        await place.write("home/.env", "GEMINI_SYSTEM_MD=~/prompts/system.md")
      },
      "go"
    ],
    "name any in the own variables": [
      async (place) => {
        const file = await place.write("out/x.md", SECRET)
        await place.write("home/.gemini/.env", `GEMINI_SYSTEM_MD=${file}`)
      },
      "go"
    ]
  }
  test.each(Object.entries(own))("%s", async (_, [prepare, prompt]) => {
    await using place = await newWorkspace()
    await prepare(place)
    await using server = await startModelServer([say("done")])
    // Skills are offered where they need not be asked about.
    const run = await place.run(["-p", prompt, "--yolo"], { server })
    expect(run.exitCode).toBe(0)
    expect(JSON.stringify(server.generations)).toContain(SECRET)
  })
})
