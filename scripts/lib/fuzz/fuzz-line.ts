/** A line for the decision: mostly something that a person might write, put together as bash allows, with a sting. */
import { DEFAULT_LINES } from "../../../src/policy/fixtures/corpus-default.ts"
import { BashGrammar, type Vocabulary } from "./bash-grammar.ts"
import { Chance } from "./chance.ts"
import { CLOSED_PATHS, everydayRead, hostileCall, OPEN_PATHS, type Places, pathFor, textFor } from "./hostile-calls.ts"
import { bare, spelled } from "./spelling.ts"
import { tableCall } from "./table-calls.ts"

/** `everyday`: lines of people that a good part is made from. */
export const fuzzLine = (seed: number, index: number, everyday: ReadonlyArray<string>, places: Places): string => {
  const chance = new Chance(seed, index)
  const vocabulary = vocabularyOf(everyday, places)
  const made = new BashGrammar(chance, vocabulary).line()
  const line = chance.oneIn(15) ? `${chance.pick(SHELLS)} ${spelled(made, chance)}` : made
  return chance.oneIn(6) ? `${everydayRead(chance)}${chance.pick(["; ", " && ", " | ", "\n", " || "])}${line}` : line
}

/** A line is also what another shell is given. */
const SHELLS = ["bash -c", "sh -c", "bash -lc", "timeout 5 bash -c", "env sh -c", "/bin/sh -c", "bash -ec"]

const CORPUS = DEFAULT_LINES.flatMap(({ commands }) => commands)

const vocabularyOf = (everyday: ReadonlyArray<string>, places: Places): Vocabulary => ({
  command: (chance) => {
    switch (chance.below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return tableCall(chance, places)
      case 4:
      case 5:
      case 6:
        return hostileCall(chance, places)
      case 7:
        return chance.pick(CORPUS)
      case 8:
        return withSting(chance.pick(everyday), chance, places)
      default:
        return chance.pick(everyday)
    }
  },
  values: [...OPEN_PATHS, ...OPEN_PATHS, ...CLOSED_PATHS].filter((path) => !path.includes("%")),
  targets: [
    "MARK",
    "../MARK",
    "src/new.ts",
    "a.txt",
    "l/../MARK",
    "out/MARK",
    ".bashrc",
    ".gemini/settings.json",
    "-delete"
  ],
  disorder: 12
})

/** One word of it is another: a path for a path, an option more, a program by another way. */
const withSting = (line: string, chance: Chance, places: Places): string => {
  const words = line.split(" ")
  const at = chance.below(words.length)
  const sting = chance.pick([
    spelled(pathFor(chance, places), chance),
    spelled(textFor(chance), chance),
    bare(chance.pick(CLOSED_PATHS)),
    "-exec",
    "$x",
    "*",
    "--"
  ])
  return words.toSpliced(at, chance.below(2), sting).join(" ")
}
