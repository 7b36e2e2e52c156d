/**
 * One reading, key by key: the pure editor in the middle, the terminal around it. What was finished stays above; the
 * row at the bottom holds the rest.
 */

import { Effect, Exit, Fiber, Option } from "effect"
import type { Paste, TerminalInput } from "../terminal/key.ts"
import type { Keyboard } from "../terminal/keyboard.ts"
import type { Screen } from "../terminal/screen.ts"
import { candidateList, completed } from "./completion.ts"
import { type EditorWish, type EditState, initialState, initialVi, replaced } from "./edit-state.ts"
import { step } from "./edit-step.ts"
import type { ExternalEditor } from "./external-editor.ts"
import type { LineResult, ReadLineRequest } from "./line-editor.ts"
import { unfolded } from "./long-paste.ts"
import { lineStart } from "./motions.ts"
import type { ReadingStack } from "./reading-stack.ts"
import { editRow, finishedLines } from "./row.ts"

export interface EditorMemory {
  kills: ReadonlyArray<string>
  hasViKeys: boolean
  isBusy: boolean
  /** Typed in a reading that was given up before it was finished. */
  left: string
}

/** What stands in a new line; a question leaves what is left to the next prompt. */
export const startingText = (memory: EditorMemory, { initial = "", multiLine }: ReadLineRequest): string => {
  if (multiLine === false) return initial
  const { left } = memory
  memory.left = ""
  return [initial, left].filter((text) => text !== "").join("\n\n")
}

export interface EditorServices {
  readonly screen: Screen["Type"]
  readonly keyboard: Keyboard["Type"]
  readonly external: ExternalEditor["Type"]
  readonly readings: ReadingStack
  /** What outlives a reading. */
  readonly memory: EditorMemory
}

/** A search for candidates this long is given up; and sooner, when the person types on. */
const MAX_COMPLETION = "5 seconds"
const TYPED_ON_AFTER = "150 millis"

export const readKeys = ({ external, keyboard, memory, readings, screen }: EditorServices, request: ReadLineRequest) =>
  Effect.suspend(() => {
    const multiLine = request.multiLine !== false
    let state = initialState({ text: startingText(memory, request), kills: memory.kills, viKeys: memory.hasViKeys })
    /** The start of the text that has been printed above already. */
    let settled = ""
    /** The text as the last Tab left it. */
    let tabbed: string | undefined
    let history: ReadonlyArray<string> = []

    const isHidden = (): boolean => multiLine && memory.isBusy && state.text === "" && state.search === undefined
    const draw = Effect.flatMap(screen.columns, (columns) =>
      screen.edit(isHidden() ? undefined : editRow({ state, settled, columns, request, style: screen.style }))
    )
    const unsettled = (text = state.text): string => finishedLines(request, text.slice(settled.length), settled === "")
    const finish = (ending: string, result: LineResult): Effect.Effect<LineResult> => {
      memory.kills = request.isSecret === true ? memory.kills : state.kills
      return Effect.as(isHidden() ? screen.edit(undefined) : screen.finishEdit(unsettled() + ending), result)
    }

    const settleLines = Effect.suspend(() => {
      const done = lineStart(state.text, state.cursor)
      if (done <= settled.length) return Effect.void
      const lines = finishedLines(request, state.text.slice(settled.length, done - 1), settled === "")
      settled = state.text.slice(0, done)
      return screen.finishEdit(lines)
    })

    const complete = Effect.gen(function* () {
      if (request.completer === undefined || request.isSecret === true) return
      const asked = state
      const isSecondTab = tabbed === asked.text
      tabbed = asked.text
      // Not a child: when nobody waits for it any more it goes on, and what it has learned serves the next Tab.
      const search = yield* Effect.forkDaemon(
        Effect.timeoutOption(request.completer(asked.text, asked.cursor), MAX_COMPLETION)
      )
      const typedOn = Effect.zipRight(Effect.sleep(TYPED_ON_AFTER), keyboard.typed)
      const found = yield* Effect.raceFirst(Fiber.await(search), Effect.as(typedOn, Exit.succeed(Option.none())))
      // A search that broke has found nothing.
      const completion = Exit.isSuccess(found) ? Option.getOrUndefined(found.value) : undefined
      if (completion === undefined) return
      const after = completed(asked, completion, isSecondTab)
      state = after.state
      tabbed = state.text
      if (after.listed.length > 0) yield* screen.print(candidateList(after.listed, yield* screen.columns))
    })

    const editOutside = () =>
      external.edit({ text: unfolded(state), fileName: "prompt.md" }).pipe(
        // Where it left the cursor is not known.
        Effect.ensuring(screen.redraw),
        Effect.flatMap((text) => {
          state = replaced(state, text)
          settled = ""
          return settleLines
        }),
        Effect.catchTag("ExternalEditorError", (error) => screen.print(error.message))
      )

    /** `undefined`: the reading goes on. */
    const fulfil = (wish: EditorWish): Effect.Effect<LineResult | undefined> => {
      switch (wish) {
        case "send":
          return finish("", { _tag: "Line", text: unfolded(state) })
        case "end":
          return finish("", { _tag: "EndOfInput" })
        case "interrupt":
          return finish("^C", { _tag: "Interrupted", ...(state.text === "" ? {} : { clearedText: true }) })
        case "escape":
          return Effect.as(screen.edit(undefined), { _tag: "Escaped" })
        case "complete":
          return Effect.as(complete, undefined)
        case "edit-outside":
          return multiLine ? Effect.as(editOutside(), undefined) : Effect.succeed(undefined)
        case "settle":
          return Effect.as(settleLines, undefined)
        case "clear":
          return Effect.as(screen.clear, undefined)
      }
    }

    /** Somebody may switch between keys of emacs and vi while this reading is open. */
    const withPresentKeys = (now: EditState): EditState =>
      memory.hasViKeys === (now.vi !== undefined) ? now : { ...now, vi: memory.hasViKeys ? initialVi : undefined }

    const accept = Effect.fnUntraced(function* (given: TerminalInput) {
      state = withPresentKeys(state)
      const input = request.escapesPastes === true && given._tag === "Paste" ? literalPaste(given) : given
      if (input._tag === "Closed") return yield* finish("", { _tag: "EndOfInput" })
      if (input._tag === "Resized" || input._tag === "Resumed") return yield* Effect.as(screen.redraw, undefined)
      if (input._tag === "Text" && request.prepare !== undefined) yield* request.prepare(input.text)
      const hotkey = input._tag === "Key" ? request.hotkeys?.[input.name] : undefined
      if (hotkey !== undefined) return yield* Effect.as(hotkey, undefined)
      if (mayAskHistory(state, input)) history = yield* request.history?.entries ?? Effect.succeed([])
      const after = step(state, input, { history, multiLine })
      if (!(after.state.text.startsWith(settled) && after.state.cursor >= settled.length)) settled = ""
      state = after.state
      return after.wish === undefined ? undefined : yield* fulfil(after.wish)
    })

    return readings
      .open({ draw, heading: request.heading }, (reading) =>
        Effect.gen(function* () {
          while (true) {
            const result = yield* accept(yield* reading.next)
            if (result !== undefined) return result
            yield* reading.draw
          }
        })
      )
      .pipe(
        // Nobody reads it any more: what is printed from now on has no line below it, unless another reading has one.
        Effect.onInterrupt(() => {
          if (multiLine) memory.left = unfolded(state)
          return Effect.zipRight(screen.edit(undefined), readings.redraw)
        })
      )
  })

/** What was entered last may have come after this reading began. While somebody walks through it, it stays as it is. */
const mayAskHistory = (state: EditState, input: TerminalInput): boolean =>
  state.walk === undefined && state.search === undefined && (input._tag === "Key" || state.vi?.mode === "normal")

const literalPaste = (given: Paste): Paste => ({ ...given, text: given.text.replace(/(?<!\\)@/g, "\\@") })
