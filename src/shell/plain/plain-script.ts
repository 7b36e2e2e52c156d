/**
 * A command line of the part of bash that is understood completely: every character of it has one meaning, the same that
 * bash gives it. What runs unasked, or by a narrow permission, is decided on this alone; whatever does not fit is not
 * plain, and a person is asked.
 */

export interface PlainScript {
  readonly steps: ReadonlyArray<PlainStep>
}

export type PlainStep =
  | PlainCommand
  | { readonly _tag: "Chain"; readonly first: PlainStep; readonly rest: ReadonlyArray<ChainLink> }
  | { readonly _tag: "Pipeline"; readonly parts: ReadonlyArray<PlainStep> }
  /** `( … )`, `{ …; }`, and what runs in the background: only braces share the state of the shell around them. */
  | {
      readonly _tag: "Group"
      readonly isSubshell: boolean
      readonly body: PlainScript
      readonly redirections: ReadonlyArray<PlainRedirection>
    }
  | {
      readonly _tag: "If"
      readonly branches: ReadonlyArray<{ readonly condition: PlainScript; readonly body: PlainScript }>
      readonly otherwise: PlainScript
      readonly redirections: ReadonlyArray<PlainRedirection>
    }
  | {
      readonly _tag: "For"
      readonly variable: string
      readonly items: ReadonlyArray<PlainWord>
      readonly body: PlainScript
      readonly redirections: ReadonlyArray<PlainRedirection>
    }
  | {
      readonly _tag: "While"
      readonly condition: PlainScript
      readonly body: PlainScript
      readonly redirections: ReadonlyArray<PlainRedirection>
    }

export interface ChainLink {
  readonly operator: "&&" | "||"
  readonly step: PlainStep
}

/** `words` may be empty: assignments or redirections alone. A test `[[ … ]]` is a command with that name. */
export interface PlainCommand {
  readonly _tag: "Command"
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly value: PlainWord }>
  readonly words: ReadonlyArray<PlainWord>
  readonly redirections: ReadonlyArray<PlainRedirection>
  readonly start: number
  readonly end: number
}

export interface PlainWord {
  /** In order; empty for the word `''`. */
  readonly parts: ReadonlyArray<WordPart>
  readonly raw: string
}

/** `isQuoted`: what it expands to is neither split nor taken for a pattern. */
export type WordPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Variable"; readonly name: string; readonly isQuoted: boolean }
  | { readonly _tag: "Substitution"; readonly script: PlainScript; readonly isQuoted: boolean }
  /** The result of a sum of plain numbers. */
  | { readonly _tag: "Number" }
  /** `~` at the beginning of a word: the home folder. */
  | { readonly _tag: "Home" }
  /** An unquoted `*` or `?`. */
  | { readonly _tag: "Wildcard"; readonly text: "*" | "?" }
  /** `src/{a,b}.ts` as a whole word: one word for each. */
  | { readonly _tag: "Words"; readonly texts: ReadonlyArray<string> }
  /** `<( … )` as a whole word. */
  | { readonly _tag: "ProcessOutput"; readonly script: PlainScript }

export interface PlainRedirection {
  readonly operator: string
  /** Absent for here-documents. */
  readonly target: PlainWord | undefined
  readonly raw: string
}

/** Why a text is not plain, and where. */
export interface NotPlain {
  readonly _tag: "NotPlain"
  readonly detail: string
  readonly at: number
}

/** The commands that are written in the steps, those of substitutions left out. */
export const commandsIn = (steps: ReadonlyArray<PlainStep>): ReadonlyArray<PlainCommand> => steps.flatMap(commandsOf)

const commandsOf = (step: PlainStep): ReadonlyArray<PlainCommand> => {
  switch (step._tag) {
    case "Command":
      return [step]
    case "Chain":
      return commandsIn([step.first, ...step.rest.map((link) => link.step)])
    case "Pipeline":
      return commandsIn(step.parts)
    case "Group":
    case "For":
      return commandsIn(step.body.steps)
    case "While":
      return commandsIn([...step.condition.steps, ...step.body.steps])
    case "If":
      return commandsIn([
        ...step.branches.flatMap(({ body, condition }) => [...condition.steps, ...body.steps]),
        ...step.otherwise.steps
      ])
  }
}
