/** Sets or removes one variable in the text of a `.env` file and leaves every other line as it is. Pure. */

/** `undefined` removes it. Of several lines with the name the first is changed and the others go. */
export const setVariable = (text: string, name: string, value: string | undefined): string => {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n")
  const isIt = (line: string) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(line)
  const at = lines.findIndex(isIt)
  const others = lines.filter((line, index) => index === at || !isIt(line))
  const line = value === undefined ? [] : [`${name}=${quoted(value)}`]
  const next = at === -1 ? [...others, ...line] : others.toSpliced(at, 1, ...line)
  return next.length === 0 ? "" : `${next.join("\n")}\n`
}

/** Bare where nothing in it means anything to a reader of such files. */
const quoted = (value: string): string =>
  /^[\w./:@%+,=-]*$/.test(value) ? value : `"${value.replace(/["\\]/g, (unit) => `\\${unit}`)}"`

/** Why this cannot be the value of a setting; `undefined` when it can. */
export const valueFault = (value: string): string | undefined =>
  /[\r\n\0]/.test(value) ? "a value must not contain line breaks" : undefined
