/** Completion scripts for bash, zsh and fish, from the same rows as the help. */
import type { OptionRow } from "../../src/cli/option-row.ts"
import { type SubcommandPage, visibleSubcommands } from "./subcommand-pages.ts"
import { commonOptions, visibleOptions } from "./visible.ts"

const HEADER = "completion for gemini; load it with the line that `gemini completion --help` shows"

const takesValue = (row: OptionRow): boolean => row.type !== "boolean"
const takesPath = (row: OptionRow): boolean => takesValue(row) && /^(FILE|PATHS?|FOLDER)$/.test(row.value ?? "")
const spellings = (row: OptionRow): ReadonlyArray<string> =>
  row.short === undefined ? [`--${row.long}`] : [`-${row.short}`, `--${row.long}`]
const longNames = (rows: ReadonlyArray<OptionRow>): string => rows.map((row) => `--${row.long}`).join(" ")
const verbNames = (row: SubcommandPage): string => row.verbs.map((verb) => verb.name).join(" ")
const optionsOfSubcommand = (row: SubcommandPage): ReadonlyArray<OptionRow> => {
  const all = [...row.verbs.flatMap((verb) => verb.options), ...row.options, ...commonOptions]
  return all.filter((one, index) => all.findIndex((other) => other.long === one.long) === index)
}

export const bashCompletion = (): string => {
  const choices = visibleOptions.filter((row) => row.choices !== undefined)
  const paths = visibleOptions.filter(takesPath)
  const others = visibleOptions.filter((row) => takesValue(row) && !choices.includes(row) && !paths.includes(row))
  const label = (rows: ReadonlyArray<OptionRow>) => rows.flatMap(spellings).join("|")
  return `# bash ${HEADER}
_gemini() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]}
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $first in
${visibleSubcommands
  .map(
    (row) => `    ${[row.name, ...row.aliases].join("|")})
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "${longNames(optionsOfSubcommand(row))}" -- "$current"))
      elif ((COMP_CWORD == 2)); then
        COMPREPLY=($(compgen -W "${verbNames(row)}" -- "$current"))
      fi
      ((COMP_CWORD > 1)) && return
      ;;`
  )
  .join("\n")}
  esac
  case $previous in
${choices
  .map(
    (row) => `    ${label([row])})
      COMPREPLY=($(compgen -W "${row.choices?.join(" ") ?? ""}" -- "$current"))
      return
      ;;`
  )
  .join("\n")}
    ${label(paths)})
      COMPREPLY=($(compgen -f -- "$current"))
      return
      ;;
    ${label(others)})
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "${longNames(visibleOptions)}" -- "$current"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${visibleSubcommands.map((row) => row.name).join(" ")}" -- "$current"))
  fi
}
complete -o default -F _gemini gemini
`
}

export const zshCompletion = (): string => {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (character) => `\\${character}`)
  const option = (row: OptionRow) => {
    const names = spellings(row)
    const name = names.length === 1 ? `'${names[0]}` : `'(${names.join(" ")})'{${names.join(",")}}'`
    const action = row.choices === undefined ? (takesPath(row) ? "_files" : "") : `(${row.choices.join(" ")})`
    const equals = takesValue(row) && names.length === 1 ? "=" : ""
    return `${name}${equals}[${quoted(row.description)}]${takesValue(row) ? `:${quoted(row.value ?? row.long)}:${action}` : ""}'`
  }
  const block = (rows: ReadonlyArray<OptionRow>) => rows.map((row) => `      ${option(row)}`).join(" \\\n")
  return `#compdef gemini
# zsh ${HEADER}
_gemini() {
  local -a commands=(
${visibleSubcommands.map((row) => `    '${row.name}:${quoted(row.description)}'`).join("\n")}
  )
  case \${words[2]} in
${visibleSubcommands
  .map(
    (row) => `  ${[row.name, ...row.aliases].join("|")})
    _arguments -s \\
      '1: :' \\
      '2: :(${verbNames(row)})' \\
      '*: :_files' \\
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
  const option = (row: OptionRow, condition: string) =>
    [
      "complete -c gemini",
      `-n ${quoted(condition)}`,
      ...(row.short === undefined ? [] : [`-s ${row.short}`]),
      `-l ${row.long}`,
      ...(row.choices === undefined ? [] : [`-x -a ${quoted(row.choices.join(" "))}`]),
      ...(row.choices !== undefined || !takesValue(row) ? [] : [takesPath(row) ? "-r -F" : "-x"]),
      `-d ${quoted(row.description)}`
    ].join(" ")
  const names = visibleSubcommands.map((row) => row.name).join(" ")
  const noCommand = `not __fish_seen_subcommand_from ${names}`
  return [
    `# fish ${HEADER}`,
    ...visibleOptions.map((row) => option(row, noCommand)),
    ...visibleSubcommands.flatMap((row) => {
      const inside = `__fish_seen_subcommand_from ${row.name}`
      const noVerb =
        row.verbs.length === 0 ? inside : `${inside}; and not __fish_seen_subcommand_from ${verbNames(row)}`
      return [
        `complete -c gemini -n __fish_use_subcommand -f -a ${row.name} -d ${quoted(row.description)}`,
        ...row.verbs.map(
          (verb) => `complete -c gemini -n ${quoted(noVerb)} -f -a ${verb.name} -d ${quoted(verb.description)}`
        ),
        ...optionsOfSubcommand(row).map((one) => option(one, inside))
      ]
    }),
    ""
  ].join("\n")
}
