/** The servers that the authors of the protocol publish for trying clients, from the package registry. */
import { resolve } from "node:path"

const programOf = (name: string): string =>
  resolve(import.meta.dir, `../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)

/** Settings of the server as a child process. */
export const referenceServer = (name: "everything" | "filesystem" | "memory", ...args: ReadonlyArray<string>) => ({
  command: "node",
  args: [programOf(name), ...args]
})

export interface RunningServer extends AsyncDisposable {
  readonly port: number
}

/** `everything` behind a port: as streamable HTTP under `/mcp`, or as SSE under `/sse`. */
export const startEverything = async (transport: "streamableHttp" | "sse"): Promise<RunningServer> => {
  const port = await freePort()
  const child = Bun.spawn(["node", programOf("everything"), transport], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe"
  })
  // It says on standard error that it listens.
  const reader = child.stderr.getReader()
  let said = ""
  while (!/listening|running on port/i.test(said)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the reference server did not start: ${said}`)
    said += new TextDecoder().decode(value)
  }
  const drain = async () => {
    while (!(await reader.read()).done) {}
  }
  const drained = drain()
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await child.exited
      await drained
    }
  }
}

const freePort = async (): Promise<number> => {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })
  const { port } = probe
  probe.stop(true)
  return port
}
