/**
 * The text of a hook's command, ready for the shell. Names of places are put in where the shell would split them at
 * spaces; inside quotation marks it does not, and they stay for it to expand.
 */
import type { Places } from "../config/programs/run-files.ts"

export const commandText = (command: string, places: Places): string => {
  let result = ""
  let quote: '"' | "'" | undefined
  for (let index = 0; index < command.length; index++) {
    const char = command.charAt(index)
    if (char === "\\" && quote !== "'") {
      result += command.slice(index, index + 2)
      index++
      continue
    }
    if ((char === '"' || char === "'") && (quote === undefined || quote === char)) {
      quote = quote === undefined ? char : undefined
    }
    const name = char === "$" && quote === undefined ? referenceAt(command, index, places) : undefined
    if (name === undefined) result += char
    else {
      result += quoted(places[name.variable] ?? "")
      index += name.length - 1
    }
  }
  return result
}

const referenceAt = (command: string, index: number, places: Places) => {
  const found = /^\$(?:(\w+)|\{(\w+)\})/.exec(command.slice(index, index + 80))
  const variable = found?.[1] ?? found?.[2]
  return found === null || variable === undefined || !Object.hasOwn(places, variable)
    ? undefined
    : { variable, length: found[0].length }
}

/** Plain paths stay as they are, so that a message about the command reads as it was written. */
const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
