/**
 * Variables that decide which programs run, or what they load: a pager, a search path, options read from the
 * environment. Setting one is ordinary work; but where a rule forbids a command, it is a way to run that command.
 */
import type { CommandForm, Opaque, OpaqueKind } from "./shell-analysis.ts"
import { type SyntaxNode, visit } from "./syntax.ts"
import { assignedName, isAssignment, isHarmlessForCommand } from "./variables.ts"

const GUIDING = new RegExp(
  `^(?:${[
    // The shell and the loader.
    "(?:LD|DYLD|BASH|FUNC)_?.*|PATH|ENV|IFS|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|FPATH|ZDOTDIR|HOME|INPUTRC",
    "RANDOM|SECONDS|OPTIND|LINENO|HIST.*|GCONV_PATH|LOCPATH|NLSPATH|XDG_.*",
    // Programs that run a pager, an editor, another shell.
    ".*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|MAN.*|.*ASKPASS|.*_RSH|.*_SHELL|GIT.*|SSH.*|SVN_.*|HG.*|DIFF.*|FZF_.*",
    // Interpreters and build tools.
    "PYTHON.*|PIP_.*|UV_.*|NODE_(?:OPTIONS|PATH|EXTRA.*)|(?:npm|NPM|yarn|YARN|BUN|DENO)_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*",
    "LUA_.*|R_.*|PHP.*|JAVA_.*|_JAVA_OPTIONS|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|GO.*|CARGO.*|RUSTC.*|RUSTDOC.*",
    "CC|CXX|CPP|LD|AR|AS|[A-Z]*FLAGS|MAKE.*|GNUMAKE.*|CMAKE_.*|.*_OPTIONS|.*_OPTS|AWK.*|GAWK.*|TAPE|ZIPOPT|UNZIP"
  ].join("|")})$`
)

const isGuiding = (name: string): boolean => GUIDING.test(name) && !isHarmlessForCommand(`${name}=`)

const DECLARES = new Set(["export", "declare", "typeset", "readonly", "local"])
const STORES = new Set(["read", "printf", "mapfile", "readarray", "getopts"])

/** What a command sets of them: in front of it, through `env`, or as its own work. */
export const guidedBy = (
  assignments: ReadonlyArray<string>,
  forms: ReadonlyArray<CommandForm>
): ReadonlyArray<Opaque> => {
  const inner = forms.at(-1)?.words ?? []
  const outer = forms.slice(0, -1).flatMap(({ words }) => words.filter((word) => isAssignment(word.value)))
  const own = inner[0]?.value ?? ""
  const named = inner.slice(1).map((word) => assignedName(word.value.replace(/^-v/, "")))
  if (STORES.has(own)) return report(named, "redefinition")
  const before = [...assignments, ...outer.map((word) => word.value)].map(assignedName)
  return report(DECLARES.has(own) ? [...before, ...named] : before, "environment")
}

/** `for PATH in …` sets a variable too, and is no command that could be judged by itself. */
export const guidedByLoops = (source: string, root: SyntaxNode): ReadonlyArray<Opaque> => {
  const names: Array<string> = []
  visit(root, (node) => {
    if (node.type !== "for_statement" && node.type !== "select_statement") return
    const variable = node.children.find((child) => child.type === "variable_name")
    if (variable !== undefined) names.push(source.slice(variable.start, variable.end))
  })
  return report(names, "redefinition")
}

const report = (names: ReadonlyArray<string>, kind: OpaqueKind): ReadonlyArray<Opaque> => {
  const name = names.find(isGuiding)
  return name === undefined ? [] : [{ kind, detail: `\`${name}\` can decide which programs are run` }]
}
