/** Names of files as a line of output: one with a line break or another control character is quoted, so that it cannot pass for two. */
export const shownName = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name
