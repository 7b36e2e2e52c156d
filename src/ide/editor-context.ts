/**
 * What an editor has open, as its companion tells it and as the model is told: the first time everything, later only
 * what changed since, as long as the model still has what that builds on.
 */
import { Effect, Option, Ref, Schema } from "effect"
import type { Content, Part } from "../protocol/content.ts"

const Cursor = Schema.Struct({ line: Schema.Number, character: Schema.Number })

const OpenFile = Schema.Struct({
  path: Schema.String,
  timestamp: Schema.Number,
  isActive: Schema.optional(Schema.NullOr(Schema.Boolean)),
  cursor: Schema.optional(Schema.NullOr(Cursor)),
  selectedText: Schema.optional(Schema.NullOr(Schema.String))
})

const ContextUpdate = Schema.Struct({
  workspaceState: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        openFiles: Schema.optional(Schema.NullOr(Schema.Array(OpenFile))),
        isTrusted: Schema.optional(Schema.NullOr(Schema.Boolean))
      })
    )
  )
})

interface ActiveFile {
  readonly path: string
  readonly cursor?: { readonly line: number; readonly character: number }
  readonly selectedText?: string
}

export interface EditorContext {
  readonly active: ActiveFile | undefined
  /** The latest first. */
  readonly others: ReadonlyArray<string>
  /** `undefined`: the editor does not say. */
  readonly isTrusted: boolean | undefined
}

const MAX_FILES = 10
const MAX_SELECTION = 16_384
/** No system has files with longer ones. */
const MAX_PATH = 4_096

/** `None`: it is not what a companion sends. */
export const readContext = (params: unknown): Option.Option<EditorContext> =>
  Option.map(Schema.decodeUnknownOption(ContextUpdate)(params), ({ workspaceState }) => {
    const files = (workspaceState?.openFiles ?? [])
      .filter(({ path }) => path.length <= MAX_PATH)
      .sort((one, other) => other.timestamp - one.timestamp)
      .slice(0, MAX_FILES)
    const [latest] = files
    const active = latest?.isActive === true ? activeOf(latest) : undefined
    return {
      active,
      others: files.slice(active === undefined ? 0 : 1).map(({ path }) => path),
      isTrusted: workspaceState?.isTrusted ?? undefined
    }
  })

const activeOf = ({ cursor, path, selectedText }: typeof OpenFile.Type): ActiveFile => ({
  path,
  ...(cursor == null ? {} : { cursor: { line: cursor.line, character: cursor.character } }),
  ...(selectedText == null || selectedText === "" ? {} : { selectedText: shortened(selectedText) })
})

const shortened = (text: string): string =>
  text.length > MAX_SELECTION ? `${text.slice(0, MAX_SELECTION)}... [TRUNCATED]` : text

/** Begins every text that is given to the model about the editor. */
export const EDITOR_CONTEXT_START = "The user's editor tells what is open in it"

/** Everything; `undefined` where nothing is open. */
export const wholeText = ({ active, others }: EditorContext): string | undefined => {
  const shown = {
    ...(active === undefined ? {} : { activeFile: active }),
    ...(others.length === 0 ? {} : { otherOpenFiles: others })
  }
  return Object.keys(shown).length === 0
    ? undefined
    : textOf(`${EDITOR_CONTEXT_START}, as JSON. It is for information only.`, shown)
}

/** What is different now; `undefined` where nothing is. */
export const changeText = (before: EditorContext, now: EditorContext): string | undefined => {
  const changes = {
    ...listed("filesOpened", newIn(now, before)),
    ...listed("filesClosed", newIn(before, now)),
    ...activeChange(before.active, now.active)
  }
  return Object.keys(changes).length === 0
    ? undefined
    : textOf(`${EDITOR_CONTEXT_START}: what changed since it was last told, as JSON. It is for information only.`, {
        changes
      })
}

const textOf = (sentence: string, shown: object): string =>
  `${sentence}\n\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\``

const pathsOf = ({ active, others }: EditorContext): ReadonlyArray<string> =>
  active === undefined ? others : [active.path, ...others]

const newIn = (one: EditorContext, other: EditorContext): ReadonlyArray<string> => {
  const known = new Set(pathsOf(other))
  return pathsOf(one).filter((path) => !known.has(path))
}

const listed = (key: string, paths: ReadonlyArray<string>) => (paths.length === 0 ? {} : { [key]: paths })

const activeChange = (before: ActiveFile | undefined, now: ActiveFile | undefined) => {
  if (now === undefined) {
    return before === undefined ? {} : { activeFileChanged: { path: null, previousPath: before.path } }
  }
  if (before?.path !== now.path) return { activeFileChanged: now }
  const { cursor, path, selectedText = "" } = now
  const hasMoved =
    cursor !== undefined && (before.cursor?.line !== cursor.line || before.cursor.character !== cursor.character)
  return {
    ...(hasMoved ? { cursorMoved: { path, cursor } } : {}),
    ...((before.selectedText ?? "") === selectedText ? {} : { selectionChanged: { path, selectedText } })
  }
}

/** The parts that come before the words of the prompt; the history is the one that they will be added to. */
type ContextNews = (history: ReadonlyArray<Content>) => Effect.Effect<ReadonlyArray<Part>>

interface Told {
  readonly context: EditorContext
  /** The oldest is the whole state, the others are changes. */
  readonly texts: ReadonlyArray<string>
}

/**
 * What of the editor's state goes before a prompt. Changes are told only while the model still has what they build on:
 * after a new start, compression, rewinding or a prompt that was taken back, everything is told again.
 * `None`: no editor, or it has not said anything.
 */
export const makeContextNews = (current: Effect.Effect<EditorContext | undefined>): Effect.Effect<ContextNews> =>
  Effect.map(Ref.make<Told | undefined>(undefined), (told) =>
    Effect.fnUntraced(function* (history) {
      const now = yield* current
      if (now === undefined) {
        yield* Ref.set(told, undefined)
        return []
      }
      const before = yield* Ref.get(told)
      const isKnown = before !== undefined && isStillThere(before, history)
      const text = isKnown ? changeText(before.context, now) : wholeText(now)
      if (text === undefined) return []
      yield* Ref.set(told, { context: now, texts: isKnown ? [...before.texts, text] : [text] })
      return [{ text }]
    })
  )

/** Compression takes from the beginning, rewinding from the end. */
const isStillThere = ({ texts }: Told, history: ReadonlyArray<Content>): boolean =>
  [texts[0], texts.at(-1)].every((text) => history.some(({ parts }) => parts.some((part) => part.text === text)))
