/**
 * Programs of a project that are new, or not what they were when the person agreed to them: hooks, MCP servers, commands
 * of settings. Nothing of them runs unasked, and one question is enough for all.
 */
import { Effect, Option } from "effect"
import type { ProjectProgram } from "../../config/programs/project-program.ts"
import { visibleLine } from "../../kernel/visible-text.ts"
import { ask } from "../ask.ts"

export const askPrograms = Effect.fnUntraced(function* (pending: ReadonlyArray<ProjectProgram>, isChange: boolean) {
  const answer = yield* ask({
    text: programsText(pending, isChange),
    choices: [
      { value: "RUN", label: "Let them run", hint: "you are asked again when one of them changes" },
      { value: "LEAVE_OUT", label: "Go on without them" }
    ]
  })
  return Option.contains(answer, "RUN")
})

const programsText = (pending: ReadonlyArray<ProjectProgram>, isChange: boolean): string =>
  [
    isChange
      ? "Programs of this project have changed since you confirmed them:"
      : "This project brings along programs that gemini would run:",
    ...pending.map(({ place, what }) => visibleLine(`  ${what} (${place})`)),
    "They run outside the sandbox, with all your rights. Let them run only if you know what they do."
  ].join("\n")
