/**
 * Reads a command line of plain bash, or says why it is none. Independent of the grammar that lists commands for
 * prohibitions: a permission needs both to see the same commands.
 */
import type {
  ChainLink,
  NotPlain,
  PlainCommand,
  PlainRedirection,
  PlainScript,
  PlainStep,
  PlainWord
} from "./plain-script.ts"
import { PlainWords } from "./plain-text.ts"
import { isMeta, type ReadWord, Unplain } from "./read-word.ts"

const MAX_DEPTH = 8
const MAX_COMMANDS = 200

/** `sh`: without what only bash knows. */
export const readPlain = (text: string, dialect: "bash" | "sh" = "bash"): PlainScript | NotPlain => {
  try {
    return new Reader(text, dialect).whole()
  } catch (thrown) {
    if (thrown instanceof Unplain) return { _tag: "NotPlain", detail: thrown.detail, at: thrown.at }
    throw thrown
  }
}

export const isPlain = (read: PlainScript | NotPlain): read is PlainScript => !("_tag" in read)

/** Words with a meaning of their own where a command begins. */
const RESERVED = new Set([
  ...["if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "in"],
  ...["function", "{", "}", "!", "time", "coproc", "[[", "]]"]
])
const ENDS_BODY = new Set(["then", "elif", "else", "fi", "do", "done", "}"])
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/
const TEST_WORD = /^(?:&&|\|\|)$/

/** Looked for anywhere, quoted or not: another shell would read it differently. */
const ONLY_BASH = /\$['"]|\[\[|&>|<<<|[<>]\(|\|&|(?:^|[\s;&|(])time(?:\s|$)/

/** Wherever they stand, comments and here-documents included: a NUL ends the text for the shell. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/

class Reader extends PlainWords {
  private depth = 0
  private commands = 0

  whole(): PlainScript {
    if (!this.text.isWellFormed()) throw new Unplain("text that is not Unicode", 0)
    const control = this.text.search(CONTROL)
    if (control !== -1) throw new Unplain("a control character", control)
    if (this.dialect === "sh" && ONLY_BASH.test(this.text)) throw new Unplain("something that only bash knows", 0)
    return this.remaining()
  }

  /** From here to the end of the text. */
  private remaining(): PlainScript {
    const script = this.script(() => false)
    if (this.at < this.text.length) this.fail(`an unexpected \`${this.text[this.at]}\``)
    if (this.waiting.length > 0) this.fail("a here-document without an end")
    return script
  }

  /** Steps up to the end of the text, a closing bracket, or a word that ends a body. */
  private script(isEnd: () => boolean): PlainScript {
    if (++this.depth > MAX_DEPTH) this.fail("too many levels")
    const steps: Array<PlainStep> = []
    this.blank({ lines: true })
    while (this.at < this.text.length && !isEnd() && this.text[this.at] !== ")") {
      const step = this.chain()
      const separator = this.separator()
      steps.push(
        separator === "&" ? { _tag: "Group", isSubshell: true, body: { steps: [step] }, redirections: [] } : step
      )
      if (separator === undefined) break
    }
    this.depth--
    return { steps }
  }

  private separator(): ";" | "&" | "\n" | undefined {
    this.blank()
    const char = this.text[this.at]
    if (char === "\n") {
      this.blank({ lines: true })
      return "\n"
    }
    if ((char !== ";" && char !== "&") || this.text[this.at + 1] === char) return undefined
    this.at++
    this.blank({ lines: true })
    return char
  }

  private chain(): PlainStep {
    const first = this.pipeline()
    const rest: Array<ChainLink> = []
    for (;;) {
      this.blank()
      const operator = this.text.slice(this.at, this.at + 2)
      if (operator !== "&&" && operator !== "||") break
      this.at += 2
      this.blank({ lines: true })
      rest.push({ operator, step: this.pipeline() })
    }
    return rest.length === 0 ? first : { _tag: "Chain", first, rest }
  }

  private pipeline(): PlainStep {
    if (this.isWord("!")) this.take("!")
    // A word of the shell, which only measures.
    if (this.isWord("time")) {
      this.take("time")
      if (this.isWord("-p")) this.take("-p")
      if (this.text[this.at] === "-") this.fail("an option of `time`")
    }
    const parts = [this.command()]
    for (;;) {
      this.blank()
      const isPipe = this.text[this.at] === "|" && this.text[this.at + 1] !== "|"
      if (!isPipe) break
      this.at += this.text[this.at + 1] === "&" ? 2 : 1
      this.blank({ lines: true })
      parts.push(this.command())
    }
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : { _tag: "Pipeline", parts }
  }

  private command(): PlainStep {
    if (++this.commands > MAX_COMMANDS) this.fail("too many commands")
    this.blank()
    if (this.text.startsWith("((", this.at)) this.fail("arithmetic")
    if (this.text[this.at] === "(") {
      this.at++
      const body = this.script(() => false)
      this.close(")")
      return { _tag: "Group", isSubshell: true, body: this.filled(body), redirections: this.redirections() }
    }
    if (this.isWord("{")) {
      this.take("{")
      const body = this.body()
      this.take("}")
      return { _tag: "Group", isSubshell: false, body, redirections: this.redirections() }
    }
    if (this.isWord("if")) return this.conditional()
    if (this.isWord("for")) return this.forLoop()
    if (this.isWord("while") || this.isWord("until")) return this.whileLoop()
    if (this.isWord("[[")) return this.test()
    return this.simple()
  }

  private filled(script: PlainScript): PlainScript {
    if (script.steps.length === 0) this.fail("nothing where a command is expected")
    return script
  }

  private body(): PlainScript {
    return this.filled(this.script(() => this.endsBody()))
  }

  private endsBody(): boolean {
    const word = /[^\s;&|<>()]*/y
    word.lastIndex = this.at
    return ENDS_BODY.has(word.exec(this.text)?.[0] ?? "")
  }

  private conditional(): PlainStep {
    const branches: Array<{ readonly condition: PlainScript; readonly body: PlainScript }> = []
    this.take("if")
    for (;;) {
      const condition = this.body()
      this.take("then")
      branches.push({ condition, body: this.body() })
      if (!this.isWord("elif")) break
      this.take("elif")
    }
    let otherwise: PlainScript = { steps: [] }
    if (this.isWord("else")) {
      this.take("else")
      otherwise = this.body()
    }
    this.take("fi")
    return { _tag: "If", branches, otherwise, redirections: this.redirections() }
  }

  private forLoop(): PlainStep {
    this.take("for")
    this.blank()
    const name = /[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n])/y
    name.lastIndex = this.at
    const variable = name.exec(this.text)?.[0]
    if (variable === undefined) this.fail("a loop whose variable has no plain name")
    this.at += variable.length
    this.blank({ lines: true })
    if (!this.isWord("in")) this.fail("a loop over the arguments of the shell")
    this.take("in")
    const items: Array<PlainWord> = []
    for (;;) {
      this.blank()
      const char = this.text[this.at]
      if (char === undefined || char === ";" || char === "\n") break
      items.push(this.word().word)
    }
    if (this.separator() === undefined) this.fail("a loop without a body")
    return { _tag: "For", variable, items, ...this.loopBody() }
  }

  private whileLoop(): PlainStep {
    this.take(this.isWord("while") ? "while" : "until")
    const condition = this.body()
    return { _tag: "While", condition, ...this.loopBody() }
  }

  private loopBody() {
    this.take("do")
    const body = this.body()
    this.take("done")
    return { body, redirections: this.redirections() }
  }

  /** The words between the brackets; operators are words there. */
  private test(): PlainStep {
    const start = this.at
    const words = [this.testWord("[[")]
    while (!this.isWord("]]")) {
      const operator = this.text.slice(this.at, this.at + 2)
      if (TEST_WORD.test(operator)) {
        words.push(this.testWord(operator))
        continue
      }
      if (isMeta(this.text[this.at] ?? "\n")) this.fail("a test that is not plain")
      words.push(this.word().word)
    }
    words.push(this.testWord("]]"))
    return { _tag: "Command", assignments: [], words, redirections: this.redirections(), start, end: this.at }
  }

  private testWord(text: string): PlainWord {
    this.at += text.length
    return { parts: [{ _tag: "Text", text }], raw: text }
  }

  private simple(): PlainCommand {
    const start = this.at
    const assignments: Array<PlainCommand["assignments"][number]> = []
    const words: Array<PlainWord> = []
    const redirections: Array<PlainRedirection> = []
    let end = start
    for (;;) {
      this.blank()
      const redirection = this.redirection()
      if (redirection !== undefined) redirections.push(redirection)
      else {
        const char = this.text[this.at]
        if (char === undefined || /[\n;&|)]/.test(char)) break
        if (isMeta(char)) this.fail(`an unexpected \`${char}\``)
        const read = this.word()
        const assigned = words.length === 0 ? assignmentIn(read) : undefined
        if (assigned !== undefined) assignments.push(assigned)
        else {
          if (words.length === 0 && !read.hasQuotes && RESERVED.has(read.word.raw)) this.fail(`\`${read.word.raw}\``)
          if (words.length === 0 && /^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(read.word.raw))
            this.fail("an assignment of its own kind")
          words.push(read.word)
        }
        if (this.text[this.at] === "(") this.fail("an unexpected `(`")
      }
      end = this.at
    }
    if (words.length === 0 && assignments.length === 0 && redirections.length === 0) {
      this.fail("nothing where a command is expected")
    }
    return { _tag: "Command", assignments, words, redirections, start, end }
  }

  protected nested(at: number, close: ")" | "`"): { readonly script: PlainScript; readonly end: number } {
    if (this.waiting.length > 0) this.fail("a substitution before a here-document")
    if (close === "`") return this.backquoted(at)
    const outer = this.at
    this.at = at
    const script = this.filled(this.script(() => false))
    this.close(")")
    if (this.waiting.length > 0) this.fail("a here-document in a substitution")
    const end = this.at
    this.at = outer
    return { script, end }
  }

  /** Bash takes one layer of backslashes off first, so there may be none. */
  private backquoted(at: number): { readonly script: PlainScript; readonly end: number } {
    const close = this.text.indexOf("`", at)
    if (close === -1 || this.text.slice(at, close).includes("\\"))
      throw new Unplain("backticks with escapes, or without an end", at)
    // A text of its own: nothing in it can reach beyond its end. The places of its commands stay those of the whole.
    const inner = new Reader(this.text.slice(0, close), this.dialect)
    inner.at = at
    inner.depth = this.depth
    inner.commands = this.commands
    const script = inner.filled(inner.remaining())
    this.commands = inner.commands
    return { script, end: close + 1 }
  }
}

/** `name=value`: the name is unquoted, the value any word. */
const assignmentIn = ({ word }: ReadWord): PlainCommand["assignments"][number] | undefined => {
  const name = ASSIGNMENT.exec(word.raw)?.[1]
  const [first, ...rest] = word.parts
  if (name === undefined || first?._tag !== "Text" || !first.text.startsWith(`${name}=`)) return undefined
  const value = first.text.slice(name.length + 1)
  const parts = value === "" ? rest : [{ _tag: "Text" as const, text: value }, ...rest]
  return { name, value: { parts, raw: word.raw.slice(name.length + 1) } }
}
