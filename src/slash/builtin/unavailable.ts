/** Commands of the full-screen program that make no sense in scrolling text: known, so that nobody looks for a typing mistake. */
import { Effect } from "effect"
import { type Command, print, slash } from "../command.ts"

const NAMES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "bug-memory": [],
  corgi: [],
  footer: ["statusline"],
  gemma: [],
  ide: [],
  oncall: [],
  profile: [],
  "setup-github": [],
  "terminal-setup": [],
  theme: [],
  voice: []
}

export const unavailable: ReadonlyArray<Command> = Object.entries(NAMES).map(([name, aliases]) =>
  slash({
    name,
    aliases,
    isHidden: true,
    description: "Not available in line mode",
    usage: "[...]",
    run: () => Effect.succeed(print(`/${name} is not available in line mode.`))
  })
)
