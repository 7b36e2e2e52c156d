import { expect } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { type Command, provideCommand } from "../command.ts"
import { loadCommands } from "./load-commands.ts"
import type { CustomServices } from "./run-custom.ts"

// Loading alone asks for no service.
const provide = (command: Command<CustomServices>) =>
  provideCommand(command, Effect.succeed(Context.empty() as Context.Context<CustomServices>))

const load = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, prepare?: (folder: string) => void) {
  const folder = yield* tempFolder({ "a-file": "", ...files })
  prepare?.(folder)
  const found = yield* loadCommands([{ folder, sourceOf: (file) => ({ _tag: "File", scope: "user", file }) }], provide)
  return {
    commands: found.commands.map(({ description, name, usage }) => ({ name, description, usage })),
    notices: found.notices.map((notice) => notice.replaceAll(folder, "<folder>"))
  }
})

it.effect("names come from the path, descriptions from the file", () =>
  Effect.gen(function* () {
    const long = "x".repeat(60)
    const { commands } = yield* load({
      "git/fix.toml": 'description = "Fix\\n it"\nprompt = "fix {{args}}"',
      "a b$.toml": 'prompt = "hi"',
      [`${long}.toml`]: `prompt = "x"\ndescription = "${"d".repeat(120)}"`,
      ".dot/.hidden.toml": 'prompt = "x"',
      "notes.txt": "no"
    })
    expect(commands).toEqual([
      { name: ".dot:.hidden", description: "Custom command from .hidden.toml", usage: "[arguments]" },
      { name: "a_b_", description: "Custom command from a b$.toml", usage: "[arguments]" },
      { name: "git:fix", description: "Fix it", usage: "<arguments>" },
      { name: `${"x".repeat(47)}...`, description: `${"d".repeat(97)}...`, usage: "[arguments]" }
    ])
  })
)

it.effect("a bad file is told of with its line, and the others count", () =>
  Effect.gen(function* () {
    const { commands, notices } = yield* load({
      "broken.toml": 'description = "x"\nprompt = oops',
      "empty.toml": "",
      "kind.toml": "\nprompt = 3",
      "open.toml": 'prompt = """\nrun !{ls"""',
      "good.toml": 'prompt = "good"'
    })
    expect(commands.map(({ name }) => name)).toEqual(["good"])
    expect(notices).toEqual([
      expect.stringMatching(/^<folder>\/broken\.toml:2: /),
      "<folder>/empty.toml:1: prompt is missing: it must hold the text to send",
      "<folder>/kind.toml:2: prompt must be a string",
      "<folder>/open.toml:1: !{ on line 1 of the prompt has no closing brace"
    ])
  })
)

it.effect("links are followed, and a loop of them ends", () =>
  Effect.gen(function* () {
    const { commands } = yield* load({ "real/one.toml": 'prompt = "1"' }, (folder) => {
      mkdirSync(join(folder, "sub"))
      symlinkSync(folder, join(folder, "sub/loop"))
      symlinkSync(join(folder, "real/one.toml"), join(folder, "linked.toml"))
    })
    expect(commands.map(({ name }) => name)).toEqual(["linked", "real:one"])
  })
)
