/** Options that several sub-commands have, each with one meaning and one description. */
import * as Options from "@effect/cli/Options"

export const json = Options.boolean("json").pipe(Options.withDescription("Print JSON."))

export const skipTrust = Options.boolean("skip-trust").pipe(Options.withDescription("As if the folder were trusted."))

export const consent = Options.boolean("consent").pipe(
  Options.withDescription("Agree to the security notice beforehand.")
)

/** Without a default: whoever uses it says what holds then. */
export const scope = <const Names extends ReadonlyArray<string>>(names: Names, description = "Where it is stored.") =>
  Options.choice("scope", names).pipe(
    Options.withAlias("s"),
    Options.withPseudoName("SCOPE"),
    Options.withDescription(description)
  )

/** An option with a value, that may be left out. */
export const text = (name: string, value: string, description: string) =>
  Options.optional(valued(name, value, description))

/** One that may be given several times. */
export const texts = (name: string, value: string, description: string) =>
  Options.repeated(valued(name, value, description))

const valued = (name: string, value: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName(value), Options.withDescription(description))
