/**
 * Random bash: every kind of statement, word and redirection, in sizes that people write. What the commands are is the
 * matter of the caller; here they are put together.
 */
import type { Chance } from "./chance.ts"
import { EXPANSIONS, spelled } from "./spelling.ts"

export interface Vocabulary {
  /** A simple command: name and words. */
  readonly command: (chance: Chance) => string
  /** Values of words: names of files, options, text. */
  readonly values: ReadonlyArray<string>
  /** Where redirections lead. */
  readonly targets: ReadonlyArray<string>
  /** In one of so many cases something is added to a command, changed in it, or done to the whole line. */
  readonly disorder: number
}

const VARIABLES = ["x", "y", "f", "file", "LANG", "PATH", "HOME", "IFS", "x[0]", "LC_ALL"]

export class BashGrammar {
  private readonly chance: Chance
  private readonly vocabulary: Vocabulary

  constructor(chance: Chance, vocabulary: Vocabulary) {
    this.chance = chance
    this.vocabulary = vocabulary
  }

  line(): string {
    const text = this.script(this.chance.pick([0, 0, 1, 1, 2, 3]))
    return this.chance.oneIn(this.vocabulary.disorder) ? this.damaged(text) : text
  }

  /** `depth`: how many levels may still be opened. */
  script(depth: number): string {
    const steps = this.chance.several(1, this.chance.pick([1, 1, 2, 3]), () => this.step(depth))
    const between = () =>
      this.chance.pick(["; ", " && ", " || ", " | ", "\n", " & ", ";", "&&", "|", " |& ", " ; \n ", " &&\n", " # c\n"])
    return steps.reduce((text, step) => `${text}${between()}${step}`)
  }

  private step(depth: number): string {
    const { chance } = this
    if (depth > 0 && chance.oneIn(2)) return `${this.compound(depth - 1)}${this.redirectionsOr("")}`
    const prefix = chance.oneIn(5 * this.vocabulary.disorder)
      ? chance.pick(["! ", "time ", "time -p ", "coproc ", "! ! ", "time -- "])
      : ""
    const assignment = chance.oneIn(3 * this.vocabulary.disorder) ? `${this.assignment(depth)} ` : ""
    return `${prefix}${assignment}${this.simple(depth)}`
  }

  private simple(depth: number): string {
    const { chance } = this
    const { disorder } = this.vocabulary
    if (chance.oneIn(20)) return this.assignment(depth)
    const before = chance.oneIn(5 * disorder) ? `${this.redirection()} ` : ""
    const more = chance.oneIn(disorder) ? chance.several(1, 2, () => `${this.blank()}${this.word(depth)}`).join("") : ""
    const command = chance.oneIn(2 * disorder)
      ? chance.several(1, 4, () => this.word(depth)).join(this.blank())
      : `${this.vocabulary.command(chance)}${more}`
    return `${before}${command}${this.redirectionsOr("")}`
  }

  private compound(depth: number): string {
    const { chance } = this
    const inner = () => this.script(depth)
    const end = () => chance.pick(["; ", "\n", " ;", " & "])
    switch (chance.below(20)) {
      case 0:
      case 1:
        return `(${chance.pick(["", " "])}${inner()}${chance.pick(["", " ", ";", "\n"])})`
      case 2:
      case 3:
        return `{ ${inner()}${end()}}`
      case 4:
      case 5:
        return `if ${inner()}${end()}then ${inner()}${end()}${chance.oneIn(3) ? `else ${inner()}${end()}` : ""}fi`
      case 6:
        return `if ${inner()}${end()}then ${inner()}${end()}elif ${inner()}${end()}then ${inner()}${end()}fi`
      case 7:
      case 8:
      case 9: {
        const items = chance.several(0, 3, () => this.word(depth)).join(" ")
        return `for ${chance.pick(VARIABLES)} in ${items}${end()}do ${inner()}${end()}done`
      }
      case 10:
        return `while ${inner()}${end()}do ${inner()}; break; done`
      case 11:
        return `until ${inner()}${end()}do ${inner()}; break; done`
      case 12:
        return `case ${this.word(depth)} in ${this.word(depth)}) ${inner()};; *) ${inner()};; esac`
      case 13:
        return `${chance.pick(["f()", "function f", "ls()", "echo ()"])} { ${inner()}; }; f`
      case 14:
        return `[[ ${this.word(depth)} ${chance.pick(["==", "=~", "-eq", "!=", "-f", "&&", "<"])} ${this.word(depth)} ]]`
      case 15:
        return `[[ ${chance.pick(["-f", "-v", "-n", "!", "-d"])} ${this.word(depth)} ]]`
      case 16:
        return `((${this.word(depth)}))`
      case 17:
        return `for ((i=0;i<1;i++)); do ${inner()}; done`
      case 18:
        return `select x in ${this.word(depth)}; do ${inner()}; break; done`
      default:
        return `for f; do ${inner()}; done`
    }
  }

  private assignment(depth: number): string {
    const { chance } = this
    const name = chance.pick(VARIABLES)
    switch (chance.below(8)) {
      case 0:
        return `${name}+=${this.word(depth)}`
      case 1:
        return `${name}=(${this.word(depth)} ${this.word(depth)})`
      case 2:
        return `${name}=`
      default:
        return `${name}=${this.word(depth)}`
    }
  }

  word(depth: number): string {
    const { chance } = this
    if (depth > 0 && chance.oneIn(6)) return this.substitution(depth - 1)
    switch (chance.below(6)) {
      case 0:
        return chance.pick(EXPANSIONS)
      case 1:
        return chance.several(2, 3, () => (chance.oneIn(2) ? chance.pick(EXPANSIONS) : this.value())).join("")
      default:
        return this.value()
    }
  }

  private value(): string {
    return spelled(this.chance.pick(this.vocabulary.values), this.chance)
  }

  private substitution(depth: number): string {
    const inner = this.script(depth)
    return this.chance.pick([
      `$(${inner})`,
      `"$(${inner})"`,
      `\`${inner}\``,
      `"\`${inner}\`"`,
      `<(${inner})`,
      `>(${inner})`,
      `a$(${inner})b`,
      `$((1 + $(${inner})))`,
      `$(( ${inner} ))`,
      `$( ${inner} )`,
      `"a $( ${inner} ) b"`,
      `$${"{x:-"}$(${inner})}`,
      `$(#c\n${inner})`
    ])
  }

  private redirectionsOr(none: string): string {
    const count = this.chance.oneIn(this.vocabulary.disorder) ? this.chance.pick([1, 1, 2]) : 0
    return count === 0 ? none : Array.from({ length: count }, () => ` ${this.redirection()}`).join("")
  }

  private redirection(): string {
    const { chance } = this
    const blank = chance.pick(["", "", " ", "\t"])
    const number = chance.oneIn(3) ? chance.pick(["1", "2", "0", "3", "10", "100", "007", "{fd}", "{x}"]) : ""
    switch (chance.below(10)) {
      case 0:
        return chance.pick(["2>&1", ">&2", "<&-", "2>&-", "1>&2-", ">&1 2>&1", "<&0", ">& 2"])
      case 1:
        return `<<${chance.pick(["E", "'E'", "-E", "\\E", '"E"', "$E"])}\n${chance.pick(["a", "$x", "$(echo b)", "\\", ""])}\nE\n`
      case 2:
        return `${number}<<<${blank}${this.word(0)}`
      case 3:
        return `${number}<${blank}${this.target()}`
      default:
        return `${number}${chance.pick([">", ">", ">>", ">|", "&>", ">&", "<>", "&>>"])}${blank}${this.target()}`
    }
  }

  private target(): string {
    return this.chance.oneIn(2) ? "/dev/null" : spelled(this.chance.pick(this.vocabulary.targets), this.chance)
  }

  private blank(): string {
    return this.chance.pick([" ", " ", " ", " ", " ", "  ", "\t", " \\\n ", " \\\n"])
  }

  /** One or two characters put in, taken out or doubled: what a careful reader must not gloss over. */
  private damaged(text: string): string {
    const { chance } = this
    let damaged = text
    for (let count = 1 + chance.below(2); count > 0; count--) {
      const at = chance.below(damaged.length + 1)
      const to = Math.min(damaged.length, at + 1 + chance.below(3))
      const added = chance.pick([
        ...[
          "#",
          " #",
          "\\",
          "'",
          '"',
          "$",
          "`",
          "(",
          ")",
          "{",
          "}",
          ";",
          "\n",
          "\t",
          " ",
          "*",
          "?",
          "~",
          "=",
          "<",
          ">",
          "&"
        ],
        ...[
          "|",
          "!",
          "[",
          "]",
          "1",
          "100>",
          "\\\n",
          "\u00a0",
          "\r",
          ",",
          "..",
          "--",
          "-",
          ":",
          "_",
          "%",
          "^",
          "@",
          "&&",
          "\0"
        ]
      ])
      const piece = damaged.slice(at, to)
      damaged =
        damaged.slice(0, at) + chance.pick([added, added, "", piece + piece]) + damaged.slice(chance.pick([at, to]))
    }
    return damaged
  }
}
