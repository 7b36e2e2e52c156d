/** Gathers what is found of each command of a line while the line is played; a loop comes by more than once. */
import type { PlainCommand } from "../../shell/plain/plain-script.ts"
import type { CallWord } from "./program-table.ts"
import type { Doubt, PossibleCall, RedirectedFile, UnderstoodCommand } from "./reading.ts"

/** So far, of one command. */
export interface Found {
  words: ReadonlyArray<CallWord>
  inner: ReadonlyArray<CallWord>
  calls: ReadonlyArray<PossibleCall> | undefined
  isKnown: boolean
  nested: ReadonlyArray<UnderstoodCommand>
  readonly doubts: Map<string, Doubt>
  readonly redirections: Map<string, RedirectedFile>
}

export class FoundCommands {
  private readonly found = new Map<PlainCommand, Found>()

  get(command: PlainCommand): Found | undefined {
    return this.found.get(command)
  }

  of(command: PlainCommand): Found {
    const known = this.found.get(command)
    if (known !== undefined) return known
    const made: Found = {
      words: [],
      inner: [],
      calls: [],
      isKnown: false,
      nested: [],
      doubts: new Map(),
      redirections: new Map()
    }
    this.found.set(command, made)
    return made
  }

  /** In the order in which they stand in the text. */
  all(): ReadonlyArray<UnderstoodCommand> {
    return [...this.found.entries()]
      .toSorted(([one], [other]) => one.start - other.start)
      .map(([command, { calls, doubts, inner, isKnown, nested, redirections, words }]) => ({
        written: [
          ...command.assignments.map(({ name, value }) => `${name}=${value.raw}`),
          ...command.words.map(({ raw }) => raw)
        ],
        words,
        inner,
        calls,
        isKnown,
        nested,
        doubts: [...doubts.values()],
        redirections: [...redirections.values()]
      }))
  }
}

/** Two readings of one command of a script that is read more than once. */
export const merged = (one: UnderstoodCommand, other: UnderstoodCommand | undefined): UnderstoodCommand => ({
  ...one,
  doubts: [
    ...new Map([...one.doubts, ...(other?.doubts ?? [])].map((doubt) => [`${doubt.kind} ${doubt.why}`, doubt])).values()
  ],
  redirections: [...one.redirections, ...(other?.redirections ?? [])]
})
