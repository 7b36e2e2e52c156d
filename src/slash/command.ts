/**
 * A slash command is a value, like a tool: name, text for people, and what it does. It answers with a result that is
 * data, so that headless runs, line mode and editors share the commands and each reader carries the result out in its
 * own way. Nothing in this room writes to a terminal.
 */
import { type Context, Effect } from "effect"
import type { Prompt } from "../chat/chat-options.ts"
import type { Content } from "../protocol/content.ts"
import type { OpenedSession } from "../session/record/open-session.ts"
import type { CommandError } from "./command-error.ts"
import type { ExpansionNote } from "./prompt-expansion.ts"

/** `R` is what it needs; `provideCommand` gives it, so that readers see commands without requirements. */
export interface Command<R = never> {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  /** One line for `/help` and completion. */
  readonly description: string
  /** What may follow the name, such as `<name> [--persist]`; absent when nothing may. */
  readonly usage?: string
  /** Left out of `/help` and completion. */
  readonly isHidden?: boolean
  /** May run while the model works. */
  readonly isConcurrent?: boolean
  readonly source: CommandSource
  readonly subcommands?: ReadonlyArray<Command<R>>
  /** Candidates for the argument text that was typed so far; each replaces the text from `from` on. */
  readonly complete?: (typed: string) => Effect.Effect<CommandCompletion, never, R>
  /** Absent for a name that only groups others: it shows their help. */
  readonly run?: (invocation: Invocation) => Effect.Effect<CommandResult, CommandError, R>
}

export type CommandSource =
  | { readonly _tag: "BuiltIn" }
  | { readonly _tag: "File"; readonly scope: "user" | "workspace"; readonly file: string }
  | { readonly _tag: "Extension"; readonly extension: string; readonly file: string }
  | { readonly _tag: "McpPrompt"; readonly server: string }
  | { readonly _tag: "Skill"; readonly extension: string | undefined }

export interface Invocation {
  /** What follows the name, words joined by single spaces. */
  readonly args: string
  /** The line as typed. */
  readonly line: string
  /** Somebody can answer questions. */
  readonly isInteractive: boolean
}

export type CommandResult =
  | Printed
  /** Send this to the model. `@` references in it are expanded already. */
  | { readonly _tag: "Submit"; readonly prompt: Prompt; readonly notes?: ReadonlyArray<ExpansionNote> }
  /** Send what the person typed as an ordinary prompt: expand its `@` references first. */
  | {
      readonly _tag: "SubmitTyped"
      readonly text: string
      /** What the model reads before it; nothing in it is expanded. */
      readonly before?: string
    }
  /** Ask the person, then go on with the result of the answer. Nobody to ask: the command is refused. */
  | { readonly _tag: "Ask"; readonly question: CommandQuestion }
  /** Begin a new, empty session and clear the screen. */
  | { readonly _tag: "NewSession" }
  /** Go on with this session in place of the present one. */
  | { readonly _tag: "ResumeSession"; readonly opened: OpenedSession }
  /** The conversation has become this one: show how it ends. */
  | { readonly _tag: "Recall"; readonly told: string; readonly history: ReadonlyArray<Content> }
  | { readonly _tag: "Quit"; readonly deletesSession: boolean }
  /** Settings or trust have changed: build the session anew from them and go on with the same conversation. */
  | { readonly _tag: "Reconfigure"; readonly told: string }
  /** Ask how to sign in, then go on with the same conversation. */
  | {
      readonly _tag: "SignIn"
      readonly told: string
      /** Nobody is signed in any more: whoever chooses no way leaves. */
      readonly isSignedOut?: boolean
    }
  /** Put this on the clipboard; `told` is said when it worked. */
  | { readonly _tag: "Copy"; readonly text: string; readonly told: string }
  /** Open the person's editor on this text; what is saved becomes the next prompt's draft. */
  | { readonly _tag: "EditDraft"; readonly text: string }
  /** Put this into the line, for the person to go on with. */
  | { readonly _tag: "Draft"; readonly text: string; readonly told: string }
  | { readonly _tag: "SetEditorKeys"; readonly keys: "vi" | "emacs"; readonly told: string }
  /** Open this address in a browser, or print it where there is none. */
  | { readonly _tag: "OpenUrl"; readonly url: string; readonly told: string }

export interface Printed {
  readonly _tag: "Print"
  readonly text: string
  /** `data`: for programs, so that no line of it may be broken. */
  readonly format: "plain" | "markdown" | "data"
  /** The same as data, for `--json`. */
  readonly data?: unknown
}

export interface CommandQuestion {
  readonly text: string
  /** Answered by number or value. Empty: any text is an answer. */
  readonly choices: ReadonlyArray<{ readonly value: string; readonly label: string; readonly hint?: string }>
  /** What is typed is not echoed. */
  readonly isSecret?: boolean
  readonly answer: (value: string) => Effect.Effect<CommandResult, CommandError>
  /** The person leaves without an answer: ends what waits for one. */
  readonly cancel?: Effect.Effect<void>
}

export interface CommandCompletion {
  /** Where the text begins that a candidate replaces. */
  readonly from: number
  readonly candidates: ReadonlyArray<CommandCandidate>
}

export interface CommandCandidate {
  readonly value: string
  /** Shown beside it. */
  readonly hint?: string
}

/** A command of our own. */
export const slash = <R = never>(command: Omit<Command<R>, "source">): Command<R> => ({
  ...command,
  source: { _tag: "BuiltIn" }
})

export const print = (text: string, data?: unknown): Printed => ({
  _tag: "Print",
  text,
  format: "plain",
  ...(data === undefined ? {} : { data })
})

export const printMarkdown = (text: string, data?: unknown): Printed => ({ ...print(text, data), format: "markdown" })

/** Gives a command and its sub-commands what they need; asked for when one is first used. */
export const provideCommand = <R>(
  { complete, run, subcommands, ...rest }: Command<R>,
  services: Effect.Effect<Context.Context<R>>
): Command => ({
  ...rest,
  // Made when they are looked at: a process may hold many sessions, and most commands are never used.
  ...(subcommands === undefined
    ? {}
    : {
        get subcommands() {
          return subcommands.map((sub) => provideCommand(sub, services))
        }
      }),
  ...(complete === undefined
    ? {}
    : { complete: (typed: string) => Effect.flatMap(services, (context) => Effect.provide(complete(typed), context)) }),
  ...(run === undefined
    ? {}
    : {
        run: (invocation: Invocation) => Effect.flatMap(services, (context) => Effect.provide(run(invocation), context))
      })
})
