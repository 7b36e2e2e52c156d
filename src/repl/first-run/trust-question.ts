/**
 * The folder has no rule yet: the person decides once whether what it brings along may act. What that is, is listed
 * first. Whoever turns away (Ctrl-C, Ctrl-D, Esc) leaves, and is asked again next time.
 */
import { basename, dirname } from "node:path"
import { Effect, Option } from "effect"
import type { TrustLevel } from "../../config/folder-trust.ts"
import type { Contribution } from "../../config/project-contents.ts"
import { visibleLine } from "../../kernel/visible-text.ts"
import { ask } from "../ask.ts"

export type TrustAnswer = TrustLevel | "LEAVE"

export const askTrust = Effect.fnUntraced(function* (folder: string, contents: ReadonlyArray<Contribution>) {
  const answer = yield* ask({
    text: trustText(folder, contents),
    choices: [
      { value: "TRUST_FOLDER", label: `Trust this folder (${basename(folder)})` },
      { value: "TRUST_PARENT", label: `Trust its parent folder (${dirname(folder)}) and everything in it` },
      { value: "DO_NOT_TRUST", label: "Do not trust it", hint: "you can work here, but none of the above is used" },
      { value: "LEAVE", label: "Leave" }
    ]
  })
  return answerOf(Option.getOrElse(answer, () => "LEAVE"))
})

const answerOf = (value: string): TrustAnswer => {
  switch (value) {
    case "TRUST_FOLDER":
    case "TRUST_PARENT":
    case "DO_NOT_TRUST":
      return value
    default:
      return "LEAVE"
  }
}

export const trustText = (folder: string, contents: ReadonlyArray<Contribution>): string =>
  [
    `Do you trust the files in this folder? ${visibleLine(folder)}`,
    contents.length === 0
      ? "It brings along nothing that gemini would use yet. Trusting it covers what is added later."
      : "Trusting it lets gemini use what it brings along:",
    ...contents.map(
      ({ count, kind, names }) =>
        `  ${kind} (${count}): ${names.map(visibleLine).join(", ")}${count > names.length ? ", ..." : ""}`
    )
  ].join("\n")
