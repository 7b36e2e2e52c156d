/** Runs a program to its end. Its standard output when it succeeds; an error with everything it said when it does not. */
export const runQuietly = async (
  command: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Record<string, string | undefined> } = {}
): Promise<string> => {
  const child = Bun.spawn([...command], { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}\n${out}${err}`)
  return out
}
