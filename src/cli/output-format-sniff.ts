/**
 * The output format, read from the raw command line before anything is checked: a wrong flag, or a failure before
 * the settings are read, must still be reported in the format that was asked for.
 */
import { OutputFormat } from "../protocol/modes.ts"

/** `undefined`: not said, or not a format. The last mention wins, as in the parser. */
export const sniffOutputFormat = (argv: ReadonlyArray<string>): OutputFormat | undefined => {
  let format: OutputFormat | undefined
  for (const [index, token] of argv.entries()) {
    if (token === "--") break
    const [, attached] = /^(?:--output-?[fF]ormat(?==|$)|-[dhlsvy]*o)=?(.*)$/s.exec(token) ?? []
    if (attached === undefined) continue
    const value = attached === "" ? argv[index + 1] : attached
    format = OutputFormat.literals.find((name) => name === value) ?? format
  }
  return format
}
