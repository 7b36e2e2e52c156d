/**
 * Stands between a command that has an empty network and the proxy that it may use: what `gemini __bridge SOCKET COMMAND…`
 * does inside a sandbox. Programs know proxies by address and port, and the proxy is a socket in the file system; so this
 * listens on the one and hands on to the other, as the parent of the command, whose end is its own.
 *
 * It starts with every such command, so it imports next to nothing.
 */
import { connect, createServer } from "node:net"
import { constants } from "node:os"

/** Nobody else has ports in there. `sandbox/bwrap.ts` tells commands of it. */
export const BRIDGE_PORT = 3128

/** The exit code. A command that was ended by a signal has the code that shells give for that. */
export const bridgeCommand = async (
  [socket = "", ...rest]: ReadonlyArray<string>,
  tell: (text: string) => void
): Promise<number> => {
  const handsOn = rest[0] === "--hand-on"
  const command = handsOn ? rest.slice(1) : rest
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: socket, allowHalfOpen: true })
    near.on("error", () => far.destroy())
    far.on("error", () => near.destroy())
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroySoon())
    near.pipe(far)
    far.pipe(near)
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(BRIDGE_PORT, "127.0.0.1", resolve)
    })
  } catch (cause) {
    tell(`gemini: the network of the sandbox could not be set up: ${cause instanceof Error ? cause.message : cause}`)
    return 44
  }
  // Whoever signals means the command, which hears the same where a terminal or our own end speaks to the whole group.
  let child: Bun.Subprocess | undefined
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) {
    process.on(signal, () => (handsOn ? child?.kill(signal) : undefined))
  }
  try {
    child = Bun.spawn([...command], { stdin: "inherit", stdout: "inherit", stderr: "inherit" })
    const exitCode = await child.exited
    const { signalCode } = child
    return signalCode === null
      ? exitCode
      : 128 + (typeof signalCode === "number" ? signalCode : constants.signals[signalCode])
  } catch (cause) {
    tell(`gemini: cannot run ${command[0]} in the sandbox: ${cause instanceof Error ? cause.message : cause}`)
    return 127
  }
}
