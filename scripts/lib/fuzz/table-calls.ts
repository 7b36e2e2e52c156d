/**
 * Calls made from the tables themselves: their options in every spelling, values and operands of the kind that the table
 * says, and now and then something that it does not. What a table calls reading is thereby tried on the real program.
 */
import { PROGRAMS } from "../../../src/policy/reading/program-list.ts"
import type {
  OperandSpec,
  OptionSpec,
  ParsedCall,
  ProgramTable,
  ValueKind
} from "../../../src/policy/reading/program-table.ts"
import type { Chance } from "./chance.ts"
import { everydayRead, type Places, pathFor, textFor } from "./hostile-calls.ts"
import { spelled } from "./spelling.ts"

/** A random call of a random program, as it stands in a line. */
export const tableCall = (chance: Chance, places: Places): string => {
  const table = chance.pick(PROGRAMS)
  return callOf(table, chance, places)
    .map((word, index) => (index === 0 ? word : spelled(word, chance)))
    .join(" ")
}

const callOf = (table: ProgramTable, chance: Chance, places: Places): ReadonlyArray<string> => {
  const options = chance.several(0, 3, () => optionOf(table, chance, places)).flat()
  const subcommands = Object.values(table.subcommands ?? {})
  if (subcommands.length > 0 && !chance.oneIn(10)) {
    return [table.name, ...(chance.oneIn(4) ? options : []), ...callOf(chance.pick(subcommands), chance, places)]
  }
  const operands = operandsOf(table, chance, places)
  if (table.wraps !== undefined) {
    const inner = chance.oneIn(3) ? callOf(chance.pick(PROGRAMS), chance, places) : everydayRead(chance).split(" ")
    const own = Array.from({ length: table.wraps.operands }, () => chance.pick(["1", "5", "0.5", textFor(chance)]))
    return [table.name, ...options, ...own, ...inner]
  }
  const words = chance.oneIn(4) ? [...operands, ...options] : [...options, ...operands]
  return [table.name, ...(chance.oneIn(8) ? [...options, "--", ...operands] : words)]
}

const optionOf = (table: ProgramTable, chance: Chance, places: Places): ReadonlyArray<string> => {
  if (table.hasNumberOption === true && chance.oneIn(6)) return [`-${chance.below(30)}`]
  const names = Object.keys(table.options)
  if (names.length === 0) return chance.oneIn(10) ? [chance.pick(["-x", "--help", "-n", "--output=MARK"])] : []
  const name = chance.pick(names)
  const spec = table.options[name]
  return spec === undefined ? [] : writtenOption(name, spec, chance, places, names)
}

const writtenOption = (
  name: string,
  spec: OptionSpec,
  chance: Chance,
  places: Places,
  names: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const value = valueFor(spec.value ?? "text", chance, places, spec.only)
  const shown = chance.oneIn(25) && name.startsWith("--") ? name.slice(0, 3 + chance.below(name.length)) : name
  if (spec.takes === "command")
    return [name, ...everydayRead(chance).split(" "), chance.pick(["{}", "x"]), chance.pick([";", "+"])]
  if (spec.takes === 2) return [name, textFor(chance), value]
  const isLong = name.startsWith("--")
  const attached = isLong ? `${shown}=${value}` : `${shown}${value}`
  if (spec.takes === "nothing") {
    if (isLong) return [chance.oneIn(30) ? attached : shown]
    const letters = names.filter((other) => /^-[^-]$/.test(other))
    const group = chance.oneIn(3) && /^-[^-]$/.test(name) && letters.length > 0
    return [group ? `${shown}${chance.pick(letters).slice(1)}` : shown]
  }
  if (spec.takes === "optional") return [chance.oneIn(2) ? attached : shown]
  return chance.oneIn(2) ? [attached] : [shown, value]
}

const operandsOf = (table: ProgramTable, chance: Chance, places: Places): ReadonlyArray<string> => {
  const spec = specOf(table)
  const first = (spec.first ?? []).map((kind) => valueFor(kind, chance, places))
  const rest = spec.rest === "none" ? (chance.oneIn(8) ? ["x"] : []) : restOf(spec.rest, chance, places)
  return chance.oneIn(10) ? first : [...first, ...rest]
}

const restOf = (kind: ValueKind, chance: Chance, places: Places): ReadonlyArray<string> =>
  chance.several(0, chance.pick([1, 1, 2, 3]), () => valueFor(kind, chance, places))

/** Some tables look at the call first; an empty one tells the usual form. */
const specOf = (table: ProgramTable): OperandSpec => {
  const call: ParsedCall = { table, options: [], operands: [] }
  return (typeof table.operands === "function" ? table.operands(call) : table.operands) ?? { rest: "none" }
}

const NUMBERS = [
  "0",
  "1",
  "2",
  "3",
  "5",
  "10",
  "+2",
  "-1",
  "1k",
  "1,3",
  "2-",
  "always",
  "never",
  "auto",
  "L",
  "name",
  "f",
  "short",
  "iso"
]

const valueFor = (kind: ValueKind, chance: Chance, places: Places, only?: RegExp): string => {
  const fitting = only === undefined ? [] : [...NUMBERS, ...WORDS].filter((value) => only.test(value))
  if (fitting.length > 0 && !chance.oneIn(8)) return chance.pick(fitting)
  if (kind !== "text" || chance.oneIn(12)) return pathFor(chance, places)
  return chance.oneIn(2) ? chance.pick(NUMBERS) : textFor(chance)
}

const WORDS = [
  "a",
  "b",
  "c",
  "x",
  "read",
  "recurse",
  "skip",
  "LANG",
  "C",
  "TERM",
  "none",
  "full",
  "utf-8",
  "lines",
  "chars",
  "%p",
  "%s",
  "json"
]
