/** `/skills`: what skills there are, turning them on and off, and linking one that somebody works on. */

import { join, resolve } from "node:path"
import { Effect } from "effect"
import { managedAt } from "../../config/administrator.ts"
import { Environment } from "../../config/environment.ts"
import { Settings } from "../../config/settings.ts"
import type { SettingsFile } from "../../config/settings-files.ts"
import { Storage } from "../../config/storage.ts"
import { projectBorder } from "../../files/brought-file.ts"
import { lazy } from "../../kernel/lazy.ts"
import { skillId } from "../../skills/skill.ts"
import { inListOrder, skillDocument, skillText } from "../../skills/skill-report.ts"
import { type KnownSkill, Skills } from "../../skills/skills.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"
import { CommandRegistry } from "../command-registry.ts"
import { completeWord } from "../complete-line.ts"
import { completeFolder } from "../completion/folder-completion.ts"

type Services = Skills | Settings | Storage | Environment | CommandRegistry

const LINK_USAGE = "<folder> [--scope user|workspace]"

const list = Effect.fnUntraced(function* ({ args }: { readonly args: string }) {
  const settings = yield* Settings
  const off = switchedOff(settings)
  if (off !== undefined) return print(off, [])
  const words = args.split(" ")
  const skills = yield* Skills
  const shown = inListOrder(yield* skills.all).filter(
    ({ source }) => source._tag !== "BuiltIn" || words.includes("all")
  )
  const hasDescription = !words.includes("nodesc")
  const warnings = yield* skills.warnings
  const text = shown.length === 0 ? NONE : shown.map((skill) => skillText(skill, { hasDescription })).join("\n")
  return print([text, ...warnings].join("\n"), { skills: shown.map(skillDocument), warnings })
})

const NONE = 'No skills are installed. "gemini skills install" installs some; /skills list all shows the built-in ones.'

const switchedOff = (settings: Settings["Type"]): string | undefined => {
  if (!settings.get("admin.skills.enabled")) {
    return `Skills cannot be used: your administrator turned them off (${managedAt(settings)}).`
  }
  return settings.get("skills.enabled") ? undefined : "Skills are turned off (skills.enabled)."
}

const skillNames = (typed: string) =>
  Effect.flatMap(Skills, ({ all }) =>
    Effect.map(all, (skills) =>
      completeWord(
        typed,
        skills.map(({ isEnabled, name }) => ({ value: name, hint: isEnabled ? "enabled" : "disabled" }))
      )
    )
  )

/** For good: the settings say so, and the session is built anew from them. */
const turn = (verb: "enable" | "disable", description: string) =>
  slash<Services>({
    name: verb,
    description,
    usage: "<name> [--scope user|workspace]",
    complete: skillNames,
    run: Effect.fnUntraced(function* ({ args }) {
      const { text, value } = parseArguments(args, ["scope"])
      const scope = value("scope") ?? "workspace"
      if (text === "" || !isScope(scope)) return yield* usageOf(`skills ${verb}`, "<name> [--scope user|workspace]")
      const skill = yield* findSkill(text)
      const storage = yield* Storage
      const { disableSkill, enableSkill } = yield* lazy(() => import("../../skills/switch-skill.ts"))
      const isChanged =
        verb === "enable"
          ? (yield* Effect.mapError(enableSkill(settingsFiles(storage), skill.name), failed)).length > 0
          : yield* Effect.mapError(disableSkill(settingsFile(storage, scope), skill.name), failed)
      return (isChanged
        ? { _tag: "Reconfigure", told: `The skill ${skill.name} is ${verb}d.` }
        : print(`The skill ${skill.name} is ${verb}d already.`)) satisfies CommandResult as CommandResult
    })
  })

const findSkill = Effect.fnUntraced(function* (typed: string) {
  const skills = yield* Skills
  const known = yield* skills.all
  const found: KnownSkill | undefined = known.find(({ name }) => skillId(name) === skillId(typed))
  if (found !== undefined) return found
  const names = known.map(({ name }) => name).join(", ")
  return yield* new CommandError({
    kind: "usage",
    detail: `There is no skill ${typed}.`,
    advice: names === "" ? "There are none." : `There are: ${names}.`
  })
})

type Scope = "user" | "workspace"

const isScope = (text: string): text is Scope => text === "user" || text === "workspace"

/** In the home folder the project's file is the user's. */
const settingsFile = (storage: Storage["Type"], scope: Scope): SettingsFile =>
  scope === "user" || storage.projectDir === storage.userDir
    ? { scope: "user", file: storage.userSettingsFile }
    : { scope: "workspace", file: storage.projectSettingsFile }

const settingsFiles = (storage: Storage["Type"]): ReadonlyArray<SettingsFile> => {
  const [user, project] = [settingsFile(storage, "user"), settingsFile(storage, "workspace")]
  return user.file === project.file ? [user] : [user, project]
}

const reread = Effect.fnUntraced(function* () {
  const skills = yield* Skills
  const registry = yield* CommandRegistry
  yield* skills.reload
  yield* registry.reload
})

const reload = slash<Services>({
  name: "reload",
  aliases: ["refresh"],
  description: "Read the skills again",
  run: Effect.fnUntraced(function* () {
    yield* reread()
    return yield* list({ args: "" })
  })
})

const link = slash<Services>({
  name: "link",
  description: "Use the skill in a folder from where it is",
  usage: LINK_USAGE,
  complete: (typed) => Effect.map(Environment, ({ cwd, home }) => completeFolder(typed, { cwd, home, separator: "," })),
  run: Effect.fnUntraced(function* ({ args }) {
    const { text, value } = parseArguments(args, ["scope"])
    const scope = value("scope") ?? "user"
    if (text === "" || !isScope(scope)) return yield* usageOf("skills link", LINK_USAGE)
    const { cwd, home } = yield* Environment
    const storage = yield* Storage
    const { linkSkills } = yield* lazy(() => import("../../skills/install/link-skills.ts"))
    const made = yield* Effect.mapError(
      linkSkills({
        folder: resolve(cwd, home === undefined ? text : text.replace(/^~(?=\/|$)/, home)),
        target: scope === "user" ? storage.userSkillsDir : join(storage.projectDir, "skills"),
        border: scope === "user" || storage.projectDir === storage.userDir ? undefined : projectBorder(cwd, { home }),
        // The person named the folder in this very line.
        agree: () => Effect.succeed(true)
      }),
      failed
    )
    yield* reread()
    return print(made.map((place) => `Linked ${place}.`).join("\n"), { linked: made })
  })
})

export const skills = slash<Services>({
  name: "skills",
  description: "Skills that the model may use",
  run: list,
  usage: "[list|enable|disable|link|reload]",
  subcommands: [
    slash<Services>({
      name: "list",
      description: "Skills and their states; all: the built-in ones too",
      usage: "[nodesc|all]",
      run: list
    }),
    turn("enable", "Turn a skill on"),
    turn("disable", "Turn a skill off"),
    link,
    reload
  ]
})
