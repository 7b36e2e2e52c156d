/** The options that a program lists in its own help. */

/** Spelled as they are there, from the first column of each line that begins with one. */
export const optionsInHelp = (help: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const line of help.split("\n")) {
    if (!/^\s*(?:or:? +)?-/.test(line)) continue
    // The explanation stands behind two blanks, or behind one where names of values are written in angles.
    for (const column of line.trim().split(/\s{2,}|\t/)) {
      if (!column.startsWith("-")) break
      for (const [, name] of column.matchAll(/(?:^|[\s,|/])(--?[A-Za-z0-9?@][\w-]*)/g)) {
        if (name !== undefined) found.add(name)
      }
    }
  }
  return found
}
