/**
 * What a line can ask for beside prompts: slash commands, references to files, shell commands; and what they stand on.
 */
import { join } from "node:path"
import { Context, Effect, Either, Layer, Option, Ref } from "effect"
import * as SessionStats from "../chat/stats/session-stats.ts"
import { Environment } from "../config/environment.ts"
import { Settings } from "../config/settings.ts"
import { Storage } from "../config/storage.ts"
import { Extensions } from "../extensions/extensions.ts"
import { Workspace } from "../files/workspace.ts"
import type { McpPrompt } from "../mcp/listing.ts"
import { McpHub } from "../mcp/mcp-hub.ts"
import { promptArguments, promptCommandName, promptHelp, promptText } from "../mcp/prompt.ts"
import { Policy } from "../policy/policy.ts"
import { checkpointPlaces } from "../session/checkpoint/checkpoint-settings.ts"
import * as Checkpoints from "../session/checkpoint/checkpoints.ts"
import * as Undo from "../session/undo/undo.ts"
import { snapshotOptions } from "../session/undo/undo-settings.ts"
import { type Skill, skillId } from "../skills/skill.ts"
import { Skills } from "../skills/skills.ts"
import { LazyServices } from "../tools/lazy-services.ts"
import * as PromptExpansion from "./at/prompt-expansion-layer.ts"
import {
  type Command,
  type CommandCandidate,
  type CommandCompletion,
  type CommandResult,
  type Invocation,
  print
} from "./command.ts"
import { CommandError, failed, usageOf } from "./command-error.ts"
import { CommandRegistry, type DiscoveredCommands } from "./command-registry.ts"
import * as RegistryLayer from "./command-registry-layer.ts"
import { completeWord } from "./complete-line.ts"
import * as ShellLine from "./shell/shell-line-layer.ts"

/** Prompts of servers are read anew whenever a server has others. */
const followPrompts = Effect.gen(function* () {
  const hub = yield* McpHub
  const registry = yield* CommandRegistry
  const known = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<McpPrompt>>>(new Map())
  yield* hub.follow(
    Effect.fnUntraced(function* ({ name, prompts }) {
      const before = (yield* Ref.getAndUpdate(known, (all) => new Map(all).set(name, prompts))).get(name) ?? []
      if (before !== prompts && before.length + prompts.length > 0) yield* registry.reload
    })
  )
})

/**
 * Skills as commands: `/release-notes for 1.2` activates the skill and sends the rest as a prompt. The person has asked
 * for the skill by name, so nothing is asked; a rule that denies it counts all the same.
 */
type SkillServices = Skills | Policy | LazyServices

/** Those that are turned on now. */
const skillCommands: Effect.Effect<DiscoveredCommands, never, SkillServices> = Effect.gen(function* () {
  const services = yield* Effect.context<SkillServices>()
  const skills = yield* Skills
  const enabled = yield* skills.enabled
  const commands = enabled.map((skill) => skillCommand(skill, services))
  return { commands: [...commands, ...(enabled.length === 0 ? [] : [anySkill(skills, services)])], notices: [] }
})

/** `/skill release-notes for 1.2`: the same for all of them, by their names in the list. */
const anySkill = (skills: Skills["Type"], services: Context.Context<SkillServices>): Command => ({
  name: "skill",
  description: "Use a skill by its name",
  usage: "<name> [request]",
  isHidden: true,
  source: { _tag: "BuiltIn" },
  complete: (typed) =>
    Effect.map(skills.enabled, (all) =>
      completeWord(
        typed,
        all.map(({ description, name }) => ({ value: name, hint: description }))
      )
    ),
  run: Effect.fnUntraced(function* ({ args }) {
    const enabled = yield* skills.enabled
    // A name may hold blanks: the longest one that the line begins with is meant.
    const found = enabled
      .filter(({ name }) => `${skillId(args)} `.startsWith(`${skillId(name)} `))
      .toSorted((one, other) => other.name.length - one.name.length)[0]
    if (found !== undefined) {
      return yield* Effect.provide(activate(found, args.trim().slice(found.name.length).trim()), services)
    }
    const names = enabled.map(({ name }) => name).join(", ")
    return yield* args === ""
      ? usageOf("skill", "<name> [request]")
      : new CommandError({
          kind: "usage",
          detail: `There is no skill ${args.split(" ")[0]} that is turned on.`,
          advice: `There are: ${names}.`
        })
  })
})

const skillCommand = (skill: Skill, services: Context.Context<SkillServices>): Command => {
  const { source } = skill
  const extension = source._tag === "Extension" ? source.extension : undefined
  return {
    // The registry puts the name of the extension before it. A command is one word.
    name: (extension === undefined ? skill.name : skill.name.slice(extension.length + 1)).replace(/\s+/g, "-"),
    description: skill.description,
    usage: "[request]",
    source: { _tag: "Skill", extension },
    run: ({ args }) => Effect.provide(activate(skill, args), services)
  }
}

const activate = Effect.fnUntraced(function* (skill: Skill, args: string) {
  const skills = yield* Skills
  const policy = yield* Policy
  const decision = yield* policy.decide({
    name: "activate_skill",
    args: { name: skill.name },
    kind: "other",
    isClientInitiated: true
  })
  // The rule that ships denies it where nobody can be asked; here somebody asked for it.
  if (decision.verdict === "deny" && decision.rule?.tier !== "default") {
    return yield* new CommandError({
      kind: "denied",
      detail: `The skill ${skill.name} is not activated: ${decision.reason}.`
    })
  }
  const before = yield* Effect.mapError(skills.activate(skill), failed)
  if (skill.directory !== undefined) yield* openFolder(skill.directory)
  const text = args === "" ? `Use the skill ${skill.name}.` : args
  return { _tag: "SubmitTyped", text, before } satisfies CommandResult as CommandResult
})

const openFolder = Effect.fnUntraced(function* (directory: string) {
  const lazy = yield* LazyServices
  const workspace = Context.get(yield* lazy.services, Workspace)
  yield* Effect.mapError(workspace.allowRead(directory), failed)
})

// Prompts of servers as commands: `/review --file=a.ts`. The server makes the text, the model gets it.

/** Those of the servers that are connected now. */
const promptCommands: Effect.Effect<DiscoveredCommands, never, McpHub> = Effect.gen(function* () {
  const hub = yield* McpHub
  const prompts = (yield* hub.servers).flatMap((server) => server.prompts)
  return { commands: prompts.map((prompt) => promptCommand(prompt, hub)), notices: [] }
})

const promptCommand = (prompt: McpPrompt, hub: McpHub["Type"]): Command => ({
  name: promptCommandName(prompt),
  description: prompt.description === "" ? `Prompt of the MCP server ${prompt.server}` : prompt.description,
  usage: prompt.arguments.map(({ name, required }) => (required ? `--${name}="..."` : `[--${name}="..."]`)).join(" "),
  source: { _tag: "McpPrompt", server: prompt.server },
  complete: (typed) => completion(prompt, hub, typed),
  run: (invocation) => run(prompt, hub, invocation)
})

const run = Effect.fnUntraced(function* (prompt: McpPrompt, hub: McpHub["Type"], { args }: Invocation) {
  if (args === "help") return print(promptHelp(prompt))
  const read = promptArguments(prompt, args)
  if (Either.isLeft(read)) {
    const missing = read.left.map(({ name }) => `--${name}`).join(", ")
    return yield* new CommandError({
      kind: "usage",
      detail: `/${promptCommandName(prompt)} needs ${missing}.`,
      advice: `/${promptCommandName(prompt)} help explains its arguments.`
    })
  }
  const answer = yield* Effect.mapError(hub.getPrompt(prompt.server, prompt.name, read.right), failed)
  const text = promptText(answer)
  if (Option.isNone(text)) {
    return yield* new CommandError({
      kind: "failed",
      detail: `MCP server "${prompt.server}" gave no text for the prompt ${prompt.name}.`
    })
  }
  return {
    _tag: "Submit",
    prompt: { text: text.value, parts: [{ text: text.value }] }
  } satisfies CommandResult as CommandResult
})

/** Names of arguments that are not there yet; behind `--name=`, the values that the server proposes. */
const completion = (prompt: McpPrompt, hub: McpHub["Type"], typed: string): Effect.Effect<CommandCompletion> => {
  const last = typed.slice(typed.lastIndexOf(" ") + 1)
  const from = typed.length - last.length
  const valued = /^--([^\s=]+)="?([^"]*)$/.exec(last)
  if (valued !== null) {
    const [, name = "", value = ""] = valued
    return hub.complete(prompt.server, prompt.name, { name, value }).pipe(
      Effect.orElseSucceed((): ReadonlyArray<string> => []),
      Effect.map((values) => ({
        from,
        candidates: values.map((one): CommandCandidate => ({ value: `--${name}="${one}"` }))
      }))
    )
  }
  const candidates = prompt.arguments
    .filter(({ name }) => !typed.includes(`--${name}=`) && `--${name}`.startsWith(last))
    .map(({ description, name }): CommandCandidate => ({ value: `--${name}="`, hint: description }))
  return Effect.succeed({ from, candidates })
}

/** Skills come before prompts of servers. */
const discover = Effect.zipWith(skillCommands, promptCommands, (skills, prompts) => ({
  commands: [...skills.commands, ...prompts.commands],
  notices: [...skills.notices, ...prompts.notices]
}))

const registryLayer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const context = yield* Effect.context<McpHub | SkillServices>()
    const { enabled } = yield* Extensions
    return Layer.effectDiscard(followPrompts).pipe(
      Layer.provideMerge(
        RegistryLayer.layer({
          discover: Effect.provide(discover, context),
          extensionFolders: enabled.map(({ id, name, path }) => ({
            extension: name,
            id,
            folder: join(path, "commands")
          }))
        })
      )
    )
  })
)

/** What `/undo` and `/restore` stand on, from the configuration of the session. */
const undoLayer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const config = { environment: yield* Environment, settings: yield* Settings, storage: yield* Storage }
    return Layer.merge(Undo.layer(snapshotOptions(config, [])), Checkpoints.layer(checkpointPlaces(config)))
  })
)

export const layer = Layer.mergeAll(registryLayer, PromptExpansion.layer, ShellLine.layer).pipe(
  Layer.provideMerge(SessionStats.layer),
  Layer.provide(undoLayer)
)
