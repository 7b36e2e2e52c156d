/** All built-in commands, in plain order. Those of other rooms are joined to them where the registry is made. */
import { Effect } from "effect"
import { type Command, print, slash } from "../command.ts"
import { extensions } from "../extensions/extensions.command.ts"
import { mcp } from "../mcp/mcp.command.ts"
import { chat, resumeCommand } from "../session/chat.command.ts"
import { rewind } from "../session/rewind.command.ts"
import { exportSession } from "../session/share.command.ts"
import { skills } from "../skills/skills.command.ts"
import { about, bug } from "./about.command.ts"
import { agents } from "./agents.command.ts"
import { auth } from "./auth.command.ts"
import { commands } from "./commands.command.ts"
import { compress } from "./compress.command.ts"
import { copy } from "./copy.command.ts"
import { directory } from "./directory.command.ts"
import { editor, vim } from "./editor.command.ts"
import { help, shortcuts } from "./help.command.ts"
import { hooks } from "./hooks.command.ts"
import { ide } from "./ide.command.ts"
import { init } from "./init.command.ts"
import { memory, saveMemory } from "./memory.command.ts"
import { model } from "./model.command.ts"
import { permissions } from "./permissions.command.ts"
import { plan } from "./plan.command.ts"
import { policies } from "./policies.command.ts"
import { privacy } from "./privacy.command.ts"
import { restore } from "./restore.command.ts"
import { sandbox } from "./sandbox.command.ts"
import { clear, quit } from "./session-end.command.ts"
import { settings } from "./settings.command.ts"
import { stats } from "./stats.command.ts"
import { tasks } from "./tasks.command.ts"
import { tools } from "./tools.command.ts"
import { undo } from "./undo.command.ts"
import { docs, upgrade } from "./web-page.command.ts"
import { yolo } from "./yolo.command.ts"

/** Commands of other versions that this one does not have: known, so that nobody looks for a typing mistake. */
interface Absent {
  readonly aliases?: ReadonlyArray<string>
  /** What to do instead, where there is something. */
  readonly instead?: string
}

const ABSENT: Readonly<Record<string, Absent>> = {
  "bug-memory": { instead: "/bug reports a problem." },
  corgi: {},
  footer: { aliases: ["statusline"], instead: "ui.hideFooter and ui.footer.hideModelInfo change the status line." },
  gemma: { instead: "experimental.gemmaModelRouter.classifier.host names a server that runs." },
  oncall: {},
  profile: { instead: "--profile tells of the start." },
  "setup-github": {},
  "terminal-setup": { instead: "Ctrl-J begins a new line in every terminal." },
  theme: { instead: "Colours are those of your terminal; NO_COLOR=1 turns them off." },
  voice: {}
}

const absent: ReadonlyArray<Command> = Object.entries(ABSENT).map(([name, { aliases = [], instead }]) =>
  slash({
    name,
    aliases,
    isHidden: true,
    description: "Not in this version",
    usage: "[...]",
    run: () =>
      Effect.succeed(print([`/${name} is not in this version.`, ...(instead === undefined ? [] : [instead])].join(" ")))
  })
)

export const builtinCommands = [
  about,
  agents,
  auth,
  bug,
  chat,
  clear,
  commands,
  compress,
  copy,
  directory,
  docs,
  editor,
  exportSession,
  extensions,
  help,
  hooks,
  ide,
  init,
  mcp,
  memory,
  model,
  permissions,
  plan,
  policies,
  privacy,
  quit,
  restore,
  resumeCommand,
  rewind,
  sandbox,
  saveMemory,
  settings,
  shortcuts,
  skills,
  stats,
  tasks,
  tools,
  undo,
  upgrade,
  vim,
  yolo,
  ...absent
] as const

/** Everything that some built-in command needs. */
export type SlashServices = (typeof builtinCommands)[number] extends Command<infer R> ? R : never
