/**
 * The person's desktop: its clipboard and its browser. Over ssh, and where there is no desktop, the clipboard is the
 * terminal's (OSC 52) and an address is only printed. Programs of the desktop are waited for a moment, never for long.
 */
import { Effect } from "effect"
import { openPage } from "../config/browser.ts"
import { Environment, type EnvironmentView } from "../config/environment.ts"
import { Settings } from "../config/settings.ts"
import { childVariables } from "../system/child-variables.ts"
import { runAside } from "../system/programs.ts"
import { printWords } from "./printed-text.ts"
import { Screen } from "./terminal/screen.ts"

const PROGRAM_WITHIN = "2 seconds"

export const copyText = Effect.fnUntraced(function* (copied: { readonly text: string; readonly told: string }) {
  const screen = yield* Screen
  const environment = yield* Environment
  const settings = yield* Settings
  if (settings.get("experimental.useOSC52Copy") && (yield* screen.setClipboard(copied.text))) {
    return yield* screen.print(copied.told)
  }
  const [program, ...others] = clipboardPrograms(environment)
  if (program !== undefined && (yield* firstThatWorks([program, ...others], copied.text, environment))) {
    return yield* screen.print(copied.told)
  }
  const isCopied = yield* screen.setClipboard(copied.text)
  yield* screen.print(
    isCopied ? copied.told : "Not copied: it is too long for the clipboard of this terminal, or there is none."
  )
})

export const openUrl = Effect.fnUntraced(function* ({ told, url }: { readonly told: string; readonly url: string }) {
  const screen = yield* Screen
  const environment = yield* Environment
  yield* openPage(url, environment)
  yield* printWords(screen, `${told}\n${url}`)
})

type ProgramWords = ReadonlyArray<string>

export const clipboardPrograms = ({ get, platform }: EnvironmentView): ReadonlyArray<ProgramWords> => {
  if (isRemote(get)) return []
  if (platform === "darwin") return [["pbcopy"]]
  if (platform === "win32") return [["clip"]]
  return [
    ...(isSet(get("WAYLAND_DISPLAY")) ? [["wl-copy"]] : []),
    ...(isSet(get("DISPLAY"))
      ? [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"]
        ]
      : [])
  ]
}

const isRemote = (get: EnvironmentView["get"]): boolean => isSet(get("SSH_CONNECTION")) || isSet(get("SSH_TTY"))

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""

const firstThatWorks = Effect.fnUntraced(function* (
  programs: ReadonlyArray<ProgramWords>,
  input: string,
  environment: EnvironmentView
) {
  for (const program of programs) if (yield* runs(program, environment, input)) return true
  return false
})

/** Clipboard programs stay in the background, and a browser may be the program itself: neither is ended. */
const runs = (argv: ProgramWords, { cwd, variables }: EnvironmentView, input?: string): Effect.Effect<boolean> =>
  runAside(
    { argv, cwd, env: childVariables({ inherits: variables }), notIn: cwd },
    { within: PROGRAM_WITHIN, ...(input === undefined ? {} : { stdin: input }) }
  )
