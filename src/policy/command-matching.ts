/**
 * Whether a rule on shell commands is about one command of a line.
 *
 * The same text means different things in a rule that permits and in one that forbids. A permission covers exactly what
 * it says: the plain program, reached through wrappers that change nothing. A prohibition or a question covers every
 * disguise that we can see through: another path to the program, `sudo`, `timeout`, options before git's sub-command.
 */
import type { CommandForm, SimpleCommand, Word } from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { joinWords } from "../shell/analysis/word.ts"
import type { PolicyCall } from "./decision.ts"
import { matchesArgumentsWith } from "./matching.ts"
import type { PolicyRule } from "./rule.ts"
import { codeReadings, laterReadings } from "./well-known.ts"

export const matchesCommand = (rule: PolicyRule, command: SimpleCommand, call: PolicyCall): boolean => {
  if (rule.commandPrefix !== undefined) {
    return rule.decision === "allow" ? isPermitted(rule.commandPrefix, command) : isCaught(rule.commandPrefix, command)
  }
  if (rule.commandRegex === undefined && rule.argsPattern === undefined) return true
  const texts = rule.decision === "allow" ? permittedTexts(command) : caughtTexts(command)
  return texts.some((text) => matchesText(rule, text, call))
}

/** Rules on text, tested on a whole line or a part of it that is more than one command. */
export const matchesText = (rule: PolicyRule, text: string, call: PolicyCall): boolean => {
  if (rule.commandRegex !== undefined) return rule.commandRegex.test(text)
  return matchesArgumentsWith(rule, call, text, rule.decision === "allow" ? "used" : "wide")
}

const isPermitted = (prefix: ReadonlyArray<string>, command: SimpleCommand): boolean => {
  const program = command.forms.at(-1)
  if (program === undefined) return false
  const outer = command.forms.slice(0, -1)
  const plainGit = withoutGitOptions(program.words)
  const candidates = plainGit?.isHarmless === true ? [program.words, plainGit.words] : [program.words]
  if (outer.every((form) => form.role === "transparent") && candidates.some((words) => beginsExactly(words, prefix)))
    return true
  // A rule that names the wrapper must name the program behind it as well.
  return outer.some((form) => coversProgram(form, program, prefix.length) && beginsExactly(form.words, prefix))
}

const coversProgram = (form: CommandForm, program: CommandForm, length: number): boolean => {
  const first = program.words[0]
  const at = first === undefined ? -1 : form.words.indexOf(first)
  return at !== -1 && length > at
}

const beginsExactly = (words: ReadonlyArray<Word>, prefix: ReadonlyArray<string>): boolean =>
  prefix.length > 0 &&
  prefix.every((text, index) => {
    const word = words[index]
    return word !== undefined && word.value === text && word.dynamic.length === 0 && !word.hasGlob && !word.hasAnsiC
  })

const isCaught = (prefix: ReadonlyArray<string>, command: SimpleCommand): boolean =>
  disguises(command).some((words) => prefix.length > 0 && prefix.every((text, index) => words[index]?.value === text))

/** Every reading of the command that a prohibition is tested on. */
const disguises = (command: SimpleCommand): ReadonlyArray<ReadonlyArray<Word>> =>
  command.forms.flatMap(({ words }) => {
    const git = withoutGitOptions(words)
    const hasCode = command.opaque.some(({ kind }) => kind === "code")
    const later = hasCode ? codeReadings(words) : laterReadings(words)
    const readings = [words, ...(git === undefined ? [] : [git.words]), ...later]
    return readings.flatMap((reading) => [reading, withBaseName(reading)])
  })

const withBaseName = (words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const [first, ...rest] = words
  return first === undefined ? words : [{ ...first, value: baseName(first.value), raw: baseName(first.value) }, ...rest]
}

const permittedTexts = (command: SimpleCommand): ReadonlyArray<string> => {
  const program = command.forms.at(-1)
  const isPlain = command.forms.slice(0, -1).every((form) => form.role === "transparent")
  const outermost = command.forms[0]
  return [
    command.text,
    ...(outermost === undefined ? [] : [joinWords(outermost.words)]),
    ...(isPlain && program !== undefined ? [joinWords(program.words)] : [])
  ]
}

const caughtTexts = (command: SimpleCommand): ReadonlyArray<string> => [
  ...new Set([command.text, ...disguises(command).map(joinWords)])
]

const GIT_VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"])
const GIT_HARMLESS = new Set(["--no-pager", "-P"])

/** `git -C x --no-pager log` as `git log`; `undefined` where there is nothing to leave out. */
export const withoutGitOptions = (
  words: ReadonlyArray<Word>
): { readonly words: ReadonlyArray<Word>; readonly isHarmless: boolean } | undefined => {
  const [git, ...rest] = words
  if (git === undefined || !/^git(?:\.exe)?$/.test(baseName(git.value))) return undefined
  let at = 0
  let isHarmless = true
  for (let word = rest[at]; word?.value.startsWith("-") === true; word = rest[at]) {
    if (!GIT_HARMLESS.has(word.value)) isHarmless = false
    at += GIT_VALUED.has(word.value) ? 2 : 1
  }
  return at === 0 ? undefined : { words: [git, ...rest.slice(at)], isHarmless }
}
