/** The whole process in bubblewrap: the same walls as around single commands, with our own program and its records in them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { messageOf } from "../../kernel/cause-message.ts"
import { childVariables } from "../../system/child-variables.ts"
import { signalBelow } from "../../system/process-tree.ts"
import { bwrap } from "../bwrap.ts"
import { factsOf, standingFacts } from "../machine-facts.ts"
import { makePrivateFiles } from "../private-files.ts"
import { profileOf } from "../profile.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { makeWorkspaceScan } from "../workspace-scan.ts"
import { ownProxy } from "./container-proxy.ts"
import { bridgeVariables, insideCommand, sessionFolder, variablesScript } from "./inside-script.ts"
import type { EnteredProcess, Hop, ProcessBackend } from "./process-backend.ts"

/** `program`: the path of `bwrap`. */
export const bwrapProcess = (program: string): ProcessBackend => ({
  name: "bwrap-process",
  strength: "full",
  gaps: ({ network }) => [
    "a command can create .git or .gemini in a folder of the workspace that has none, or moves one aside that has one",
    "in a repository a command can leave hooks where there are none, and a rebase whose steps run when you continue it",
    "tokens of MCP servers stay outside, and what is changed in ~/.gemini goes with the run, but for its records",
    ...(network === "on" ? ["commands have the network of this program"] : [])
  ],
  enter: (hop) => Effect.mapError(enter(program, hop), (detail) => hopFailed("bwrap-process", detail))
})

const enter = Effect.fnUntraced(function* (program: string, hop: Hop) {
  const clock = yield* Effect.clock
  const files = yield* Effect.mapError(makePrivateFiles, ({ detail }) => detail)
  const isBridged = hop.network !== "on"
  if (hop.network !== "on") yield* ownProxy(hop, hop.network)
  return yield* Effect.try({
    try: () => {
      const own = {
        SANDBOX: "bwrap-process",
        TMPDIR: hop.temp,
        PATH: hop.path,
        ...(hop.home === undefined ? {} : { HOME: hop.home })
      }
      const variables = { ...hop.variables, ...(isBridged ? bridgeVariables() : {}), ...own }
      writeFileSync(join(sessionFolder(hop.temp), "variables"), variablesScript(variables), { mode: 0o600 })
      const command = insideCommand({ temp: hop.temp, shell: "/bin/sh", self: hop.self, args: hop.args, isBridged })
      const entered = bwrap(program).enter({
        program: { argv: command, cwd: hop.cwd, env: childVariables({ inherits: { PATH: hop.path } }) },
        profile: profileHere(hop, () => clock.unsafeCurrentTimeMillis()),
        how: { access: "write", usesGit: true },
        files,
        proxy: undefined,
        self: hop.self,
        mounts: hop.userFolder
      })
      // What was started is the wall; the program stands behind it.
      const signal: EnteredProcess["signal"] = (name, pid) => Effect.sync(() => signalBelow(pid, "bwrap", name))
      return { program: entered, signal } satisfies EnteredProcess as EnteredProcess
    },
    catch: messageOf
  })
})

const profileHere = (hop: Hop, now: () => number) => {
  const roots = [hop.cwd, ...hop.roots]
  const facts = factsOf(standingFacts(hop.home, hop.path), [...roots, ...hop.allowedPaths], makeWorkspaceScan(now))
  return profileOf({
    cwd: hop.cwd,
    roots,
    allowedPaths: hop.allowedPaths,
    network: hop.network === "on",
    access: "write",
    usesGit: true,
    reads: [...hop.self.filter((part) => part.startsWith("/")), ...hop.files],
    writes: [hop.temp],
    home: hop.home,
    facts
  })
}
