/** What the sub-commands of git have in common: the repository that they find is looked at before they run in it. */
import {
  type CallPlace,
  type CallRefusal,
  flags,
  has,
  natureOf,
  type OptionTable,
  optional,
  type ParsedCall,
  type ProgramTable,
  switches,
  valued
} from "../../program-table.ts"

/** A sub-command. Its words are revisions and paths where nothing else is said. */
export const subcommand = (
  name: string,
  reason: string,
  { refuses, ...more }: Partial<ProgramTable> & Pick<ProgramTable, "options">
): ProgramTable => ({
  name,
  reason,
  operands: { rest: "revision" },
  ...more,
  refuses: (call, place) => refuses?.(call, place) ?? repositoryRefusal(call, place)
})

const repositoryRefusal = (call: ParsedCall, { folders, gitFolder }: CallPlace): CallRefusal | undefined => {
  if (folders === undefined) return { effect: "unknown", why: "the working folder is not known" }
  const reads = natureOf(call).every((effect) => effect === "reads")
  const ids = objectIdsIn(call)
  for (const folder of folders) {
    const { actingDoubt, namesClosed, readingDoubt } = gitFolder(folder)
    const why = reads ? readingDoubt : actingDoubt
    if (why !== undefined) return { effect: "runs", why }
    const named = reads && ids.length > 0 ? namesClosed?.(ids) : undefined
    if (named !== undefined) return { effect: "reaches", why: named }
  }
  return undefined
}

/** What may be the beginning of the name of an object, in lower case. */
const objectIdsIn = ({ operands, options }: ParsedCall): ReadonlyArray<string> =>
  [...operands, ...options.flatMap(({ value }) => value ?? [])].flatMap(
    ({ text }) => text.toLowerCase().match(/[0-9a-f]{4,64}/g) ?? []
  )

/** Of a sub-command that prints lines of tracked files: some of those may be closed. */
export const contentRefusal = (
  call: ParsedCall,
  { folders = [], gitFolder, isGuarded }: CallPlace
): CallRefusal | undefined => {
  // Whether a file has a text in it is told of all that match, shown or not.
  const tells = call.table.name === "grep" ? !has(call, "-I") : has(call, "-S")
  const isPassedOver = isGuarded === true && !tells && !has(call, "-a", "--text", "--binary")
  for (const folder of folders) {
    const why = gitFolder(folder).contentDoubt?.(isPassedOver)
    if (why !== undefined) return { effect: "reaches", why }
  }
  return undefined
}

/** By sub-command. */
export const named = (tables: ReadonlyArray<ProgramTable>): Readonly<Record<string, ProgramTable>> =>
  Object.fromEntries(tables.map((table) => [table.name, table]))

/** `%G…` and `%(signature)` call the program that checks signatures, `%(describe)` another git. */
export const PLAIN_FORMAT = /^(?![\s\S]*(?:%[-+ ]?G|%\(\s*(?:\*?signature|describe)))/i

/** The same as a key to sort or group by. */
export const PLAIN_KEY = /^(?![\s\S]*(?:%[-+ ]?G|signature|describe))/i

/** Strategies of git itself; another name is a program `git-merge-…`. */
export const OWN_STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/

/** `ext::…` names a program that is started for the connection. */
const HELPER = /^[A-Za-z][\w+.-]*::/
const REMOTE_ADDRESS = /^(?:https?|ssh|git|git\+ssh|ssh\+git|ftps?):\/\/[^-]|^(?![./~-])[\w.@-]+:(?!\/\/)/

/** Of an address where programs of the other side may run on this machine; a name of a remote is none. */
export const addressRefusal = (
  { operands }: ParsedCall,
  { isLocalFine }: { readonly isLocalFine: boolean }
): CallRefusal | undefined => {
  const helper = operands.find(({ text }) => HELPER.test(text))
  if (helper !== undefined) return { effect: "runs", why: `the address \`${helper.text}\` names a program` }
  const local = operands.find(({ text }) => /[/\\]|^\.+$|^file:/.test(text) && !REMOTE_ADDRESS.test(text))
  return isLocalFine || local === undefined
    ? undefined
    : { effect: "runs", why: `a repository at \`${local.text}\` may run programs of its own` }
}

/** Options of everything in git that shows differences. */
export const DIFF_OPTIONS: OptionTable = {
  ...flags("-p -u -s -z -R -W -D -a -b -w --patch --no-patch --raw --patch-with-raw --patch-with-stat --numstat"),
  ...flags(
    "--shortstat --cumulative --check --summary --name-only --name-status --binary --no-prefix --default-prefix"
  ),
  ...flags("--irreversible-delete --no-renames --ignore-all-space --ignore-space-change --ignore-space-at-eol"),
  ...flags("--ignore-cr-at-eol --ignore-blank-lines --patience --histogram --pickaxe-all --pickaxe-regex"),
  ...flags("--ita-invisible-in-index --ita-visible-in-index --no-ext-diff --no-textconv --no-color --no-abbrev"),
  ...flags("--no-color-moved --no-color-moved-ws --no-relative --no-ignore-matching-lines"),
  ...switches("--function-context --compact-summary --full-index --find-copies-harder --rename-empty --follow"),
  ...switches("--minimal --indent-heuristic --text --exit-code --quiet"),
  ...optional("-U -B -M -C -X --unified --dirstat --dirstat-by-file --stat --color --abbrev --break-rewrites"),
  ...optional("--find-renames --find-copies --word-diff --color-words --color-moved --relative --ignore-submodules"),
  // `diff` starts another git in the submodule.
  ...optional("--submodule", { only: /^(?:short|log)$/ }),
  ...valued("--stat-width --stat-name-width --stat-graph-width --stat-count --ws-error-highlight --src-prefix"),
  ...valued("--dst-prefix --line-prefix --inter-hunk-context --output-indicator-new --output-indicator-old"),
  ...valued("--output-indicator-context -I --ignore-matching-lines --diff-algorithm --anchored --word-diff-regex"),
  ...valued("--color-moved-ws -S -G -l --rotate-to --skip-to --diff-filter"),
  ...valued("--find-object", { value: "revision" }),
  ...valued("-O", { value: "file" }),
  ...valued("--output", { value: "output" }),
  ...flags("--ext-diff --textconv", { effect: "runs" })
}
