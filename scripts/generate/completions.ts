/** Completion scripts for bash, zsh and fish, from the same rows as the help. */
import type { OptionRow } from "../../src/cli/option-row.ts"
import { type ArgumentPlace, placesOf, takesValue, wordsOfOption } from "./completion-places.ts"
import { type SubcommandPage, visibleSubcommands } from "./subcommand-pages.ts"
import { commonOptions, visibleOptions } from "./visible.ts"

const HEADER = "completion for gemini; load it with the line that `gemini completion --help` shows"

const takesPath = (row: OptionRow): boolean => takesValue(row) && /^(FILE|PATHS?|FOLDER)$/.test(row.value ?? "")
const spellings = (row: OptionRow): ReadonlyArray<string> => [
  ...(row.short === undefined ? [] : [`-${row.short}`]),
  `--${row.long}`,
  ...(row.aliases ?? []).map((alias) => (alias.length === 1 ? `-${alias}` : `--${alias}`))
]
const longNames = (rows: ReadonlyArray<OptionRow>): string => rows.map((row) => `--${row.long}`).join(" ")
const verbNames = (row: SubcommandPage): string => row.verbs.map((verb) => verb.name).join(" ")
const optionsOfSubcommand = (row: SubcommandPage): ReadonlyArray<OptionRow> => {
  const all = [...row.verbs.flatMap((verb) => verb.options), ...row.options, ...commonOptions]
  return all.filter((one, index) => all.findIndex((other) => other.long === one.long) === index)
}
const builtIn = ["help", "version"]
const names = visibleSubcommands.map((row) => row.name)
const BASH_TOOLS = `_gemini_offer() {
  local lead="" typed=$current
  if [[ $typed == *,* ]]; then
    lead=\${typed%,*},
    typed=\${typed##*,}
  fi
  local word
  COMPREPLY=()
  for word in "$@"; do
    [[ $word == "$typed"* ]] && COMPREPLY+=("$lead$word")
  done
}
# Words that name themselves: nothing in them may act when bash reads the line.
_gemini_words() {
  local word hint
  while IFS=$'\t' read -r word hint; do [[ $word =~ ^[A-Za-z0-9_.,:/@=+-]+$ ]] && printf '%s\n' "$word"; done < <(GEMINI_COMPLETION_WORDS="$*" "\${COMP_WORDS[0]}" completion bash 2>/dev/null)
}`.replaceAll("\\${", "${")

/** What may stand behind an option, as a case of bash. */
const bashValue = (row: OptionRow): string => {
  const words = wordsOfOption(row)
  if (row.choices !== undefined) return `_gemini_offer ${row.choices.join(" ")}`
  if (words !== undefined) return `_gemini_offer $(_gemini_words ${words})`
  return takesPath(row) ? 'COMPREPLY=($(compgen -f -- "$current"))' : ":"
}

const bashValues = (rows: ReadonlyArray<OptionRow>, indent: string): string => {
  const groups = Map.groupBy(rows.filter(takesValue), bashValue)
  if (groups.size === 0) return ""
  const cases = [...groups].map(
    ([action, group]) => `${indent}  ${group.flatMap(spellings).join("|")})
${indent}    ${action}
${indent}    return
${indent}    ;;`
  )
  return `${indent}case $previous in
${cases.join("\n")}
${indent}esac
`
}

const bashPlace = ({ index, isRepeated, verb, words }: ArgumentPlace): string => {
  const at = index + (verb === undefined ? 2 : 3)
  const where = `((COMP_CWORD ${isRepeated ? ">=" : "=="} ${at}))`
  const behind = verb === undefined ? where : `[[ \${COMP_WORDS[2]} == ${verb} ]] && ${where}`
  return `      elif ${behind}; then
        _gemini_offer $(_gemini_words ${words}${words === "values" ? ` "\${COMP_WORDS[${at - 1}]}"` : ""})`
}

export const bashCompletion = (): string => `# bash ${HEADER}
${BASH_TOOLS}
_gemini() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]}
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $first in
    help)
      ((COMP_CWORD == 2)) && _gemini_offer $(_gemini_words topics) ${names.join(" ")}
      ((COMP_CWORD > 1)) && return
      ;;
${visibleSubcommands
  .map(
    (row) => `    ${[row.name, ...row.aliases].join("|")})
${bashValues(optionsOfSubcommand(row), "      ")}      if [[ $current == -* ]]; then
        _gemini_offer ${longNames(optionsOfSubcommand(row))}
      elif ((COMP_CWORD == 2)); then
        _gemini_offer ${verbNames(row)}${placesOf(row)
          .filter(({ index, verb }) => verb === undefined && index === 0)
          .map(({ words }) => ` $(_gemini_words ${words})`)
          .join("")}
${placesOf(row)
  .filter(({ index, verb }) => verb !== undefined || index > 0)
  .map((place) => `${bashPlace(place)}\n`)
  .join("")}      fi
      ((COMP_CWORD > 1)) && return
      ;;`
  )
  .join("\n")}
  esac
${bashValues(visibleOptions, "  ")}  if [[ $current == -* ]]; then
    _gemini_offer ${longNames(visibleOptions)}
  elif ((COMP_CWORD == 1)); then
    _gemini_offer ${[...names, ...builtIn].join(" ")}
  fi
}
complete -o default -F _gemini gemini
`

export const zshCompletion = (): string => {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (character) => `\\${character}`)
  const action = (row: OptionRow) => {
    const words = wordsOfOption(row)
    if (row.choices !== undefined) return `(${row.choices.join(" ")})`
    return words === undefined ? (takesPath(row) ? "_files" : "") : ` _gemini_words ${words}`
  }
  const option = (row: OptionRow) => {
    const known = spellings(row)
    // `=`: the value may stand behind an equals sign too; `+`: directly behind the letter.
    const shown = known.map((name) => (takesValue(row) ? `${name}${name.startsWith("--") ? "=" : "+"}` : name))
    const name = known.length === 1 ? `'${shown[0]}` : `'(${known.join(" ")})'{${shown.join(",")}}'`
    return `${name}[${quoted(row.description)}]${takesValue(row) ? `:${quoted(row.value ?? row.long)}:${action(row)}` : ""}'`
  }
  const block = (rows: ReadonlyArray<OptionRow>) => rows.map((row) => `      ${option(row)}`).join(" \\\n")
  const rests = visibleSubcommands.flatMap((row) =>
    placesOf(row)
      .filter(({ verb }) => verb !== undefined)
      .map(({ index, isRepeated, verb, words }) => {
        const key = words === "values" ? ` \${words[${index + 3}]}` : ""
        const label = `${row.name}:${verb}:${isRepeated ? "*" : index + 4}`
        return `    ${label}) _gemini_words ${words}${key} ;;`
      })
  )
  const second = (row: SubcommandPage) =>
    placesOf(row).find(({ index, verb }) => verb === undefined && index === 0)?.words
  return `#compdef gemini
# zsh ${HEADER}
_gemini_words() {
  local -a found
  local word hint
  while IFS=$'\t' read -r word hint; do
    found+=("\${word//:/\\\\:}\${hint:+:}\${hint}")
  done < <(GEMINI_COMPLETION_WORDS="$*" \${words[1]} completion zsh 2>/dev/null)
  _describe -t words word found
}
_gemini_second() {
  local kind=$1
  shift
  (($#)) && compadd -- "$@"
  [[ -n $kind ]] && _gemini_words $kind
}
_gemini_rest() {
  case "$1:\${words[3]}:$CURRENT" in
${rests.join("\n")}
    *) _files ;;
  esac
}
_gemini() {
  local -a commands=(
${visibleSubcommands.map((row) => `    '${row.name}:${quoted(row.description)}'`).join("\n")}
    'help:Print a help page or a page of the manual.'
    'version:Print the version.'
  )
  case \${words[2]} in
  help)
    ((CURRENT == 3)) && { _gemini_words topics; compadd ${names.join(" ")}; }
    ;;
${visibleSubcommands
  .map(
    (row) => `  ${[row.name, ...row.aliases].join("|")})
    _arguments -s \\
      '1: :' \\
      '2: : _gemini_second "${second(row) ?? ""}" ${verbNames(row)}' \\
      '*: : _gemini_rest ${row.name}' \\
${block(optionsOfSubcommand(row))}
    ;;`
  )
  .join("\n")}
  *)
    _arguments -s \\
      '1: :{_describe command commands}' \\
      '*: :_files' \\
${block(visibleOptions)}
    ;;
  esac
}
compdef _gemini gemini
`
}

export const fishCompletion = (): string => {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
  const asked = (words: string, key = "") =>
    `(GEMINI_COMPLETION_WORDS="${words} "${key} gemini completion fish 2>/dev/null)`
  const value = (row: OptionRow): ReadonlyArray<string> => {
    const words = wordsOfOption(row)
    if (row.choices !== undefined) return [`-x -a ${quoted(row.choices.join(" "))}`]
    if (words !== undefined) return [`-x -a ${quoted(asked(words))}`]
    return takesValue(row) ? [takesPath(row) ? "-r -F" : "-x"] : []
  }
  const option = (row: OptionRow, condition: string) =>
    [
      "complete -c gemini",
      `-n ${quoted(condition)}`,
      ...spellings(row).map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
      ...value(row),
      `-d ${quoted(row.description)}`
    ].join(" ")
  const argument = (row: SubcommandPage, { index, isRepeated, verb, words }: ArgumentPlace) => {
    const at = index + (verb === undefined ? 2 : 3)
    const behind = verb === undefined ? "" : `; and __fish_seen_subcommand_from ${verb}`
    const count = `test (count (commandline -opc)) ${isRepeated ? "-ge" : "-eq"} ${at}`
    const key = words === "values" ? `(commandline -opc)[${at}]` : ""
    return `complete -c gemini -n ${quoted(`__fish_seen_subcommand_from ${row.name}${behind}; and ${count}`)} -f -a ${quoted(asked(words, key))}`
  }
  const noCommand = `not __fish_seen_subcommand_from ${[...names, "help"].join(" ")}`
  const help = quoted("__fish_seen_subcommand_from help")
  return [
    `# fish ${HEADER}`,
    ...visibleOptions.map((row) => option(row, noCommand)),
    "complete -c gemini -n __fish_use_subcommand -f -a help -d 'Print a help page or a page of the manual.'",
    "complete -c gemini -n __fish_use_subcommand -f -a version -d 'Print the version.'",
    `complete -c gemini -n ${help} -f -a ${quoted(`${names.join(" ")} ${asked("topics")}`)}`,
    ...visibleSubcommands.flatMap((row) => {
      const inside = `__fish_seen_subcommand_from ${row.name}`
      const noVerb =
        row.verbs.length === 0 ? inside : `${inside}; and not __fish_seen_subcommand_from ${verbNames(row)}`
      return [
        `complete -c gemini -n __fish_use_subcommand -f -a ${row.name} -d ${quoted(row.description)}`,
        ...row.verbs.map(
          (verb) => `complete -c gemini -n ${quoted(noVerb)} -f -a ${verb.name} -d ${quoted(verb.description)}`
        ),
        ...placesOf(row).map((place) => argument(row, place)),
        ...optionsOfSubcommand(row).map((one) => option(one, inside))
      ]
    }),
    ""
  ].join("\n")
}
