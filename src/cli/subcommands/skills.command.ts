/** `gemini skills`: look at skills, install, link and remove them, turn them on and off. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { fetchCommit } from "../../extensions/sources/git.ts"
import { projectBorder } from "../../files/brought-file.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { SkillInstallError } from "../../skills/install/install-error.ts"
import { installSkills, originOf, uninstallSkill } from "../../skills/install/install-skills.ts"
import { linkSkills } from "../../skills/install/link-skills.ts"
import type { FoundSkill } from "../../skills/install/replace-skill.ts"
import { skillId } from "../../skills/skill.ts"
import { inListOrder, skillDocument, skillText } from "../../skills/skill-report.ts"
import { disableSkill, enableSkill } from "../../skills/switch-skill.ts"
import { CliContext } from "../cli-context.ts"
import { defineSubcommand } from "../subcommand.ts"
import { usageError } from "../usage-error.ts"
import { jsonDocument, printResult } from "./command-output.ts"
import { consent, json, scope, text } from "./common-options.ts"
import { unreadableSettings } from "./load-settings.ts"
import { loadForSkills, scopeFolder, settingsFileOf, skillsOf, unused } from "./skills-settings.ts"

const name = Args.text({ name: "name" })
const scopeOption = <A extends "user" | "workspace">(standard: A) =>
  Options.withDefault(scope(["user", "workspace"]), standard)
const all = Options.boolean("all").pipe(Options.withDescription("Built-in ones too."))
const path = text("path", "FOLDER", "Folder inside the source.")

const list = Command.make("list", { all, json }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const config = yield* loadForSkills()
    const skills = yield* skillsOf(config)
    const known = inListOrder(yield* skills.all).filter(({ source }) => options.all || source._tag !== "BuiltIn")
    if (options.json) yield* context.write(jsonDocument(known.map(skillDocument)))
    else if (known.length === 0) yield* context.write("No skills are installed.\n")
    else yield* context.write(`${known.map((skill) => skillText(skill, { hasDescription: true })).join("\n\n")}\n`)
    const notes = [...unused(config), ...(yield* skills.warnings)]
    yield* Effect.forEach(notes, (text) => context.writeError(`[WARNING] ${text}\n`), { discard: true })
  })
).pipe(Command.withDescription("List skills."))

const enable = Command.make("enable", { name, json }, (options) =>
  Effect.gen(function* () {
    const config = yield* loadForSkills()
    const found = yield* findSkill(config, options.name)
    const files = config.files.filter(({ scope }) => scope === "user" || scope === "workspace")
    const changed = yield* enableSkill(files, found)
    const text = changed.length === 0 ? "is enabled already" : `enabled in ${changed.join(" and ")}`
    yield* printResult(options, `Skill "${found}" ${text}.`, { name: found, enabled: true, changed })
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Turn one on."))

const disable = Command.make("disable", { name, scope: scopeOption("workspace"), json }, (options) =>
  Effect.gen(function* () {
    const config = yield* loadForSkills()
    const found = yield* findSkill(config, options.name)
    const file = yield* settingsFileOf(config, options.scope)
    const isChanged = yield* disableSkill(file, found)
    const text = `Skill "${found}" ${isChanged ? "disabled" : "is disabled already"} in ${file.file}.`
    yield* printResult(options, text, { name: found, enabled: false, changed: isChanged ? [file.file] : [] })
    yield* tellIgnored(config, file.scope)
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Turn one off."))

const install = Command.make(
  "install",
  { source: Args.text({ name: "source" }), scope: scopeOption("user"), path, consent, json },
  (options) =>
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForSkills()
      const { cwd, home, variables } = config.environment
      const target = yield* scopeFolder(config, options.scope)
      const made = yield* installSkills({
        source: options.source,
        path: Option.getOrUndefined(options.path),
        place: { cwd, home },
        fetchGit: (source, folder) =>
          fetchCommit({ source, ref: undefined, target: folder }, { variables }).pipe(
            Effect.mapError(({ advice, message }) => new SkillInstallError({ kind: "source", detail: message, advice }))
          ),
        target,
        agree: yield* agreement(`installed from ${options.source} to ${target}`, options.consent)
      }).pipe(Effect.catchTag("SkillInstallError", refused))
      yield* printResult(options, linesOf(made, "Installed"), { installed: made })
      if (made.length === 0) yield* context.writeError("Nothing was installed.\n")
      else yield* tellIgnored(config, options.scope)
    })
).pipe(Command.withDescription("Install from a git URL, a folder or a .skill file."))

const link = Command.make(
  "link",
  { path: Args.text({ name: "path" }), scope: scopeOption("user"), consent, json },
  (options) =>
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForSkills()
      const origin = originOf(options.path, config.environment)
      if (origin._tag !== "Folder")
        return yield* usageError(`${options.path} is not a folder`, "Only folders are linked.")
      const made = yield* linkSkills({
        folder: origin.folder,
        target: yield* scopeFolder(config, options.scope),
        border: linkBorder(config, options.scope),
        agree: yield* agreement(`linked from ${origin.folder}`, options.consent)
      }).pipe(Effect.catchTag("SkillInstallError", refused))
      yield* printResult(options, linesOf(made, "Linked"), { linked: made })
      if (made.length === 0) yield* context.writeError("Nothing was linked.\n")
      else yield* tellIgnored(config, options.scope)
    })
).pipe(Command.withDescription("Use a local folder in place."))

/** In the home folder what is the project's is the user's. */
const linkBorder = ({ environment, storage }: LoadedConfig, scope: string): string | undefined =>
  scope === "user" || storage.projectDir === storage.userDir ? undefined : projectBorder(environment.cwd, environment)

const uninstall = Command.make("uninstall", { name, scope: scopeOption("user"), json }, (options) =>
  Effect.gen(function* () {
    const config = yield* loadForSkills()
    const target = yield* scopeFolder(config, options.scope)
    const removed = yield* uninstallSkill(options.name, target).pipe(
      Effect.catchTag("SkillInstallError", ({ advice, message }) =>
        usageError(message, advice ?? `Try --scope ${options.scope === "user" ? "workspace" : "user"}.`)
      )
    )
    yield* printResult(options, linesOf([removed], "Removed"), { removed })
  })
).pipe(Command.withDescription("Remove one."))

export const subcommand = defineSubcommand({
  aliases: ["skill"],
  matching: "always",
  command: Command.make("skills").pipe(
    Command.withDescription("Manage skills."),
    Command.withSubcommands([list, enable, disable, install, link, uninstall])
  )
})

const refused = ({ advice = "Nothing was changed; see gemini skills --help.", message }: SkillInstallError) =>
  usageError(message, advice)

const linesOf = (places: ReadonlyArray<string>, done: string): string =>
  places.map((place) => `${done} ${place}.`).join("\n")

/** What was written into a folder that is not trusted has no effect there. */
const tellIgnored = ({ environment, trust }: LoadedConfig, scope: string) =>
  scope !== "workspace" || trust.trust === "trusted"
    ? Effect.void
    : Effect.flatMap(CliContext, ({ writeError }) =>
        writeError(
          `[WARNING] ${environment.cwd} is not trusted: this has no effect until it is, or with --scope user\n`
        )
      )

/** What a skill says is followed like the user's own word, so that nothing comes in without a yes. */
const agreement = Effect.fnUntraced(function* (what: string, isGiven: boolean) {
  const { confirm, writeError } = yield* CliContext
  if (!isGiven && confirm === undefined) {
    return yield* usageError("Nobody is here to agree to what would be installed", "Add --consent.")
  }
  return Effect.fnUntraced(function* (skills: ReadonlyArray<FoundSkill>) {
    const rows = skills.map(
      ({ description, items, name }) => `  ${name}: ${description} (${items} ${items === 1 ? "item" : "items"})`
    )
    yield* writeError(
      [
        `These skills ${isGiven ? "are" : "would be"} ${what}:`,
        ...rows,
        "Their instructions are followed by the model, and their files may be run by it. Install only what you trust.",
        ""
      ].join("\n")
    )
    return isGiven || confirm === undefined ? true : yield* confirm("Go on?")
  })
})

/** As it is written in its file. One that is not there can still be enabled: its name may stand in the settings. */
const findSkill = Effect.fnUntraced(function* (config: Parameters<typeof skillsOf>[0], typed: string) {
  const skills = yield* skillsOf(config)
  const names = (yield* skills.all).map((skill) => skill.name)
  const found =
    names.find((one) => skillId(one) === skillId(typed)) ??
    config.settings.get("skills.disabled").find((one) => skillId(one) === skillId(typed))
  if (found !== undefined) return found
  const near = closestName(typed, names)
  return yield* usageError(
    `There is no skill "${typed}"`,
    near === undefined ? "gemini skills list --all shows them." : `Did you mean ${near}?`
  )
})
