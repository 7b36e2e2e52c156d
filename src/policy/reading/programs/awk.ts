/** `awk` prints what a program makes of lines. Programs are known as far as they only compute and print. */
import { type CallRefusal, flags, has, type ParsedCall, type ProgramTable, valued } from "../program-table.ts"

const refuses = (call: ParsedCall): CallRefusal | undefined => {
  // That it takes its program from a file is said by the option; what the file holds is not known.
  const isGiven = has(call, "-f")
  const [program] = isGiven ? [] : call.operands
  if (!isGiven && (program === undefined || !program.isExact || !onlyPrints(program.text)))
    return has(call, "--version")
      ? undefined
      : { effect: "unknown", why: "a program of `awk` that is not known to print only" }
  // Some of them take such a name for a connection.
  return call.operands.slice(isGiven ? 0 : 1).some(({ text }) => /^\/+inet/.test(text))
    ? { effect: "connects", why: "`awk` takes `/inet…` for a connection" }
    : undefined
}

/** The options of the standard; each awk has others of its own, which load code, write files or take text for programs. */
const awk = (name: string): ProgramTable => ({
  name,
  reason: "prints what a program makes of the lines of the files that it is given",
  style: "leading",
  options: {
    ...flags("--version"),
    ...valued("-F"),
    ...valued("-v", { only: /^[a-z_][a-z0-9_]*=/ }),
    ...valued("-f", { value: "file", effect: "runs" })
  },
  operands: (call) => ({ first: has(call, "-f") ? [] : ["text"], rest: "file" }),
  refuses
})

const FUNCTIONS = new Set(
  "length substr split sub gsub index match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand".split(
    " "
  )
)

const STATEMENTS = new Set("if else while for do in next exit break continue delete print printf BEGIN END".split(" "))

/** Variables of awk that name no file and no program; others in capitals may. */
const OWN_VARIABLES = new Set(
  "NR NF FNR FS OFS ORS RS FILENAME SUBSEP RSTART RLENGTH CONVFMT OFMT IGNORECASE".split(" ")
)

const VARIABLE = /^[a-z_][a-z0-9_]*$/

/** Wherever they stand, also in texts: whoever is wrong about where a text ends is not wrong about these. */
const NEVER = /system|getline|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARG[CV]|fflush|close|func|@|\0/

const TOKEN =
  /(?<space>[ \t]+)|(?<end>[\n;{}])|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)|(?<sign>&&|\|\||==|!=|<=|>=|\+\+|--|[-+*/%^]=|[-+*%^=<>!~?:,()[\]$])/y

/** No bracket stays open and none holds a slash, so that every awk finds the same end. */
const EXPRESSION = /\/(?:[^\\/[\n]|\\[^\n]|\[\^?\]?(?:\[:[a-z]+:\]|[^\\/[\]\n])+\])+\//y

/** Signs and ends behind which a slash begins an expression, in every awk. */
const BEFORE_EXPRESSION = new Set(["", "\n", ";", "{", "}", "(", ",", "!", "~", "&&", "||"])

/**
 * Whether a program for awk only computes and prints. Read by words: names and signs that are listed, and nothing else.
 * Awk starts programs (`system`, `|`), opens files (`>`, `getline`, `ARGV`) and knows the environment; none of that is in
 * the list, and neither is what one awk reads otherwise than another.
 */
const onlyPrints = (program: string): boolean => !NEVER.test(program) && new AwkScan(program).isKnown()

class AwkScan {
  private readonly text: string
  private at = 0
  /** The last word or sign; `""` at the beginning. */
  private last = ""
  private lastKind = "end"
  /** Behind `print` a `>` writes a file. */
  private isPrinting = false
  /** What stood before each open parenthesis. */
  private readonly open: Array<string> = []

  constructor(text: string) {
    this.text = text
  }

  isKnown(): boolean {
    while (this.at < this.text.length) {
      if (this.text[this.at] === "/" && this.text[this.at + 1] !== "=") {
        if (!this.slash()) return false
      } else if (!this.token()) return false
    }
    return this.open.length === 0
  }

  /** A division behind a value, an expression where none can stand; otherwise it is not clear. */
  private slash(): boolean {
    if (["number", "variable", "closed"].includes(this.lastKind)) {
      this.at++
      this.follow("/", "sign")
      return true
    }
    if (!BEFORE_EXPRESSION.has(this.last) || !["end", "sign"].includes(this.lastKind)) return false
    EXPRESSION.lastIndex = this.at
    const [found] = EXPRESSION.exec(this.text) ?? []
    if (found === undefined) return false
    this.at += found.length
    this.follow(found, "text")
    return true
  }

  private token(): boolean {
    TOKEN.lastIndex = this.at
    const { 0: found = "", groups = {} } = TOKEN.exec(this.text) ?? {}
    if (found === "") return false
    this.at += found.length
    if (groups.space !== undefined) return true
    if (groups.name !== undefined) return this.name(found)
    if (groups.sign !== undefined) return this.sign(found)
    if (groups.end !== undefined) {
      // Behind a comma or another sign the statement goes on, and what is printed there can still be written to a file.
      if (found === "\n" && (this.lastKind === "sign" || this.last === "in")) return true
      this.isPrinting = false
      this.follow(found, "end")
      return true
    }
    this.follow(found, groups.number === undefined ? "text" : "number")
    return true
  }

  private name(name: string): boolean {
    const isCalled = this.text[this.at] === "("
    if (STATEMENTS.has(name)) {
      this.isPrinting ||= name === "print" || name === "printf"
      this.follow(name, "word")
      return true
    }
    if (FUNCTIONS.has(name)) {
      this.follow(name, "word")
      return isCalled || name === "length"
    }
    this.follow(name, "variable")
    return !isCalled && (OWN_VARIABLES.has(name) || VARIABLE.test(name))
  }

  private sign(sign: string): boolean {
    if (sign.startsWith(">") && this.isPrinting) return false
    if (sign === "(") this.open.push(this.lastKind === "word" ? this.last : "")
    if (sign === ")") {
      const before = this.open.pop()
      // A statement may follow the condition, and that may begin with an expression.
      this.follow(sign, before === undefined || /^(?:if|while|for)$/.test(before) ? "condition" : "closed")
      return before !== undefined
    }
    this.follow(sign, sign === "]" ? "closed" : "sign")
    return true
  }

  private follow(last: string, kind: string): void {
    this.last = last
    this.lastKind = kind
  }
}

export const awks: ReadonlyArray<ProgramTable> = ["awk", "gawk", "mawk", "nawk"].map(awk)
