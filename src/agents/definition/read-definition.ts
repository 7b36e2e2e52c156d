/** The agents that the text of a file defines. The parser of YAML is loaded for the first file that is not plain, or not right. */

import { Effect, Either, Option } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import { splitFrontMatter } from "../../skills/front-matter.ts"
import type { Agent } from "../agent.ts"
import type { AgentProblem } from "./agent-problem.ts"
import { agentsIn } from "./definition-value.ts"
import { plainFields } from "./plain-fields.ts"

export const readDefinition = (
  file: string,
  text: string
): Effect.Effect<Either.Either<ReadonlyArray<Agent>, ReadonlyArray<AgentProblem>>> => {
  const plain = Option.flatMap(Either.getRight(splitFrontMatter(text)), ({ body, head }) =>
    Option.flatMap(plainFields(head), (fields) => Either.getRight(agentsIn(fields, body)))
  )
  if (Option.isSome(plain)) return Effect.succeed(Either.right(plain.value))
  return Effect.map(
    lazy(() => import("./definition-file.live.ts")),
    ({ parseDefinition }) => parseDefinition(file, text)
  )
}
