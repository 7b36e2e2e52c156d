/** Words behind a command: flags are found wherever they stand, the rest is kept in order. Pure. */

export interface Arguments {
  /** Without flags, joined by single spaces. */
  readonly text: string
  readonly words: ReadonlyArray<string>
  readonly has: (flag: string) => boolean
  /** What follows `--flag` or `--flag=`; `undefined` without it. */
  readonly value: (flag: string) => string | undefined
}

/** `valued` names the flags that take the next word. */
export const parseArguments = (args: string, valued: ReadonlyArray<string> = []): Arguments => {
  const words: Array<string> = []
  const flags = new Map<string, string | undefined>()
  const tokens = args.split(/\s+/).filter((token) => token !== "")
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? ""
    const [, name, given] = /^--([a-z-]+)(?:=(.*))?$/.exec(token) ?? []
    if (name === undefined) words.push(token)
    else if (given !== undefined || !valued.includes(name)) flags.set(name, given)
    else flags.set(name, tokens[++index])
  }
  return { text: words.join(" "), words, has: (flag) => flags.has(flag), value: (flag) => flags.get(flag) }
}
