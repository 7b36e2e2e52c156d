/**
 * The answers that a question offers. Numbers and letters are those that scripts rely on: 1 `y` once, 2 `a` for this
 * session, 3 `e` in the editor, 4 `n` no; what else there is comes after them. What does not apply is left out, and the
 * numbers of the rest stay.
 */
import type { ApprovalQuestion, Coverage } from "../../approval/approval.ts"

export type ChoiceKind =
  | { readonly _tag: "Once" }
  | { readonly _tag: "Session"; readonly covers: Coverage }
  | { readonly _tag: "Save"; readonly entry: string; readonly file: string }
  | { readonly _tag: "Modify" }
  | { readonly _tag: "No" }

export interface Choice {
  readonly number: number
  readonly letter: string
  readonly label: string
  readonly kind: ChoiceKind
}

export interface ChoiceSettings {
  /** Standing approvals are offered in trusted folders only. */
  readonly offersSession: boolean
  /** `security.enablePermanentToolApproval`. */
  readonly offersSaving: boolean
  /** `security.autoAddToPolicyByDefault`. */
  readonly prefersSaving?: boolean
}

export const choicesFor = (question: ApprovalQuestion, settings: ChoiceSettings): ReadonlyArray<Choice> => {
  const standing = settings.offersSession ? question.standing : []
  const call = standing.find(({ covers }) => covers === "call")
  const extra = standing.flatMap(({ covers, what }): ReadonlyArray<Unnumbered> => {
    if (covers === "call") return []
    const letter = covers === "server" ? "v" : "m"
    return [{ letter, label: `allow for this session: ${what}`, kind: { _tag: "Session", covers } }]
  })
  const { savedAs: entry, savedIn: file = "auto-saved.toml", what } = call ?? {}
  const save: ReadonlyArray<Unnumbered> =
    settings.offersSaving && entry !== undefined
      ? [{ letter: "s", label: `allow for all sessions: ${what}`, kind: { _tag: "Save", entry, file } }]
      : []
  return [
    { number: 1, letter: "y", label: "allow once", kind: { _tag: "Once" } },
    ...(call === undefined
      ? []
      : [
          {
            number: 2,
            letter: "a",
            label: `allow for this session: ${call.what}`,
            kind: { _tag: "Session", covers: "call" } as const
          }
        ]),
    ...(question.draft === undefined
      ? []
      : [{ number: 3, letter: "e", label: "modify with external editor", kind: { _tag: "Modify" } as const }]),
    { number: 4, letter: "n", label: "no (add a reason for the model)", kind: { _tag: "No" } },
    ...[...extra, ...save].map((choice, index) => ({ ...choice, number: 5 + index }))
  ]
}

/** What Enter alone means; mostly nothing. What a command does is not seen at a glance: that one is always typed. */
export const preselected = (
  { confirmation }: Pick<ApprovalQuestion, "confirmation">,
  choices: ReadonlyArray<Choice>,
  { prefersSaving = false }: ChoiceSettings
): Choice | undefined =>
  prefersSaving && confirmation.type !== "exec" ? choices.find(({ kind }) => kind._tag === "Save") : undefined

type Unnumbered = Omit<Choice, "number">

export type TypedAnswer =
  | { readonly _tag: "Chosen"; readonly choice: Choice; readonly reason: string | undefined }
  /** Not an answer; `advice` says why, where there is something to say. */
  | { readonly _tag: "Unclear"; readonly advice: string | undefined }

const WORDS: Readonly<Record<string, string>> = { yes: "y", always: "a", edit: "e", modify: "e", no: "n", save: "s" }

const HELP =
  "Answer with a number or its letter, and Enter. n and some words refuse the call and tell the model why; Ctrl-C cancels the whole request."

/** Strict: what could be an answer to something else approves nothing. */
export const answerFrom = (typed: string, choices: ReadonlyArray<Choice>, onEnter?: Choice): TypedAnswer => {
  const text = typed.trim()
  if (text === "") {
    return onEnter === undefined
      ? { _tag: "Unclear", advice: undefined }
      : { _tag: "Chosen", choice: onEnter, reason: undefined }
  }
  if (text === "?") return { _tag: "Unclear", advice: HELP }
  const [, head = "", tail = ""] = /^(\d+|\p{L}+)(?:[\s,;:.-]+(.*))?$/su.exec(text) ?? []
  const word = head.toLowerCase()
  const letter = Object.hasOwn(WORDS, word) ? WORDS[word] : word
  const choice = choices.find((one) => String(one.number) === head || one.letter === letter)
  if (choice === undefined) return { _tag: "Unclear", advice: `"${text.slice(0, 40)}" is not one of the answers` }
  const reason = tail.trim()
  if (reason !== "" && choice.kind._tag !== "No") {
    return { _tag: "Unclear", advice: `only "n" takes words: to refuse and say why, answer n ${reason.slice(0, 40)}` }
  }
  return { _tag: "Chosen", choice, reason: reason === "" ? undefined : reason }
}
