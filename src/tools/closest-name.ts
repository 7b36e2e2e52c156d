/** Names that come nearest to one that does not exist, for the answer to the model. */
import { levenshtein } from "../kernel/levenshtein.ts"

/** At most `count` names, nearest first; equally near ones keep their order. */
export const closestNames = (name: string, names: ReadonlyArray<string>, count = 3): ReadonlyArray<string> =>
  names
    .map((candidate) => ({ candidate, distance: levenshtein(name, candidate) }))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate)

/** What the model is told when it calls a tool that is not there. Existing scripts look for the first words. */
export const unknownToolMessage = (name: string, names: ReadonlyArray<string>): string => {
  const closest = closestNames(name.slice(0, 200), names)
  const hint =
    closest.length === 0
      ? "No tools are available."
      : `The closest available names are: ${closest.map((candidate) => `"${candidate}"`).join(", ")}.`
  return `Tool "${name.slice(0, 200)}" not found. ${hint}`
}
