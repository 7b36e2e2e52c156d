/**
 * The person sits down at a command: what is typed goes to it, byte by byte, and what it writes is seen, as it is where
 * it draws. One key leads back to the conversation and leaves the command running.
 *
 * While that lasts nothing else is printed. Whatever the command switched on in the terminal and left on is switched off
 * at the end.
 */
import { Deferred, Effect, Layer, Option, Ref, Runtime } from "effect"
import { styledText } from "../kernel/readable-text.ts"
import { PersonTerminal } from "../shell/person-terminal.ts"
import type { ShellCommand } from "../shell/shell-command.ts"
import { Keyboard } from "./terminal/keyboard.ts"
import { Screen } from "./terminal/screen.ts"

/** `isWanted`: `tools.shell.enableInteractiveShell`, and no other word for pipes. */
export const layer = (options: { readonly isWanted: boolean }) =>
  Layer.effect(
    PersonTerminal,
    Effect.gen(function* () {
      const screen = yield* Screen
      const keyboard = yield* Keyboard
      const offered = yield* Ref.make<ReadonlyArray<Deferred.Deferred<void>>>([])
      const run = Runtime.runFork(yield* Effect.runtime<never>())

      const sitDown = (command: ShellCommand, shownFirst: string | undefined) =>
        screen.lend((write) =>
          Effect.gen(function* () {
            const { terminal } = command
            if (terminal === undefined) return yield* Effect.never
            const isLeft = yield* Deferred.make<void>()
            const decoder = new TextDecoder()
            const shown = makeShown(terminal.takesKeys)
            let isFirst = shownFirst !== undefined
            if (shownFirst !== undefined) yield* write(shownFirst)
            const stop = yield* command.tee((bytes) => {
              if (isFirst) isFirst = false
              else write.now(shown(decoder.decode(bytes, { stream: true })))
            })
            terminal.setAttended(true)
            const resize = Effect.tap(screen.size, (size) => Effect.sync(() => terminal.resize(size)))
            // A program that draws does so again.
            if (shownFirst !== undefined) {
              const { columns, rows } = yield* screen.size
              terminal.resize({ columns, rows: Math.max(1, rows - 1) })
            }
            yield* resize
            const onBytes = (bytes: Uint8Array) => {
              const end = leavingKey(bytes)
              terminal.write(end === undefined ? bytes : bytes.subarray(0, end))
              if (end !== undefined) run(Deferred.succeed(isLeft, undefined))
            }
            return yield* keyboard
              .lent(
                {
                  onBytes,
                  onResize: () => void run(resize),
                  onEnd: () => void run(Deferred.succeed(isLeft, undefined)),
                  unread: terminal.unread
                },
                Deferred.await(isLeft)
              )
              .pipe(
                Effect.ensuring(
                  Effect.sync(() => {
                    stop()
                    terminal.setAttended(false)
                  })
                )
              )
          })
        )

      return PersonTerminal.of({
        size: options.isWanted ? Effect.map(screen.size, Option.some) : Effect.succeedNone,
        attach: (command) => sitDown(command, undefined),
        offer: (command) =>
          Effect.acquireUseRelease(
            Effect.tap(Deferred.make<void>(), (asked) => Ref.update(offered, (before) => [...before, asked])),
            (asked) =>
              Effect.zipRight(
                Deferred.await(asked),
                Effect.flatMap(command.liveText, (text) => sitDown(command, latest(text)))
              ),
            (asked) => Ref.update(offered, (before) => before.filter((one) => one !== asked))
          ),
        takeOver: Effect.flatMap(Ref.get(offered), (all) => {
          const asked = all.at(-1)
          return asked === undefined ? Effect.succeed(false) : Deferred.succeed(asked, undefined)
        })
      })
    })
  )

/**
 * A program that takes the terminal, key by key, draws on it: what it writes is left as it is. One that reads lines, or
 * nothing, writes text, which acts no more than any other text of others. The terminal itself begins lines at the left.
 */
const makeShown = (takesKeys: () => boolean): ((text: string) => string) => {
  let held = ""
  return (text) => {
    const all = held + text
    if (takesKeys()) {
      held = ""
      return all
    }
    const end = UNFINISHED.exec(all)?.index ?? all.length
    held = all.length - end > LONGEST_HELD ? "" : all.slice(end)
    return styledText(all.slice(0, end))
  }
}

/** A sequence, or a line break, that the next bytes may complete. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const UNFINISHED = /(?:\r|\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*)?)$/
const LONGEST_HELD = 4096

/** What was seen last, so that a question of the command is in sight. */
const latest = (text: string): string => text.split("\n").slice(-10).join("\r\n")

const LEAVE = 0x1d
/** The same key where a program asked the terminal to spell keys out. */
const LEAVE_SPELT = "\u001b[93;5u"

/** Where in what was typed the person leaves: Ctrl-]. */
const leavingKey = (bytes: Uint8Array): number | undefined => {
  const at = bytes.indexOf(LEAVE)
  if (at !== -1) return at
  const spelt = Buffer.from(bytes).indexOf(LEAVE_SPELT)
  return spelt === -1 ? undefined : spelt
}
