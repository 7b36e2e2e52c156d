/** The group of the bench about what people add to the agent: each row is what a short run pays for it. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { measureAgents } from "./bench-agents.ts"
import { measureExtensions } from "./bench-extensions.ts"
import { FIVE_HOOKS } from "./bench-rows.ts"
import { type Measured, measureAll, timed } from "./measure.ts"

export interface ExtendBench {
  readonly binary: string
  readonly env: Readonly<Record<string, string>>
  readonly scratch: string
  readonly onPart: (name: string) => void
}

const ROUNDS = { timed: 15, weighed: 0 }

export const measureExtend = async (bench: ExtendBench): Promise<Measured> =>
  new Map([...(await fiveHooks(bench)), ...(await measureAgents(bench)), ...(await measureExtensions(bench))])

/** One at each of these points, so that none of them can run beside another. */
const EVENTS = ["SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent", "SessionEnd"]

/** What five hooks that do nothing add to a run. */
const fiveHooks = async ({ binary, env, onPart, scratch }: ExtendBench): Promise<Measured> => {
  onPart("one-shot runs with hooks")
  const hook = [{ hooks: [{ type: "command", command: "true" }] }]
  const hooked = await homeWith(join(scratch, "hooked-home"), {
    hooks: Object.fromEntries(EVENTS.map((event) => [event, hook]))
  })
  const plain = await homeWith(join(scratch, "plain-home"), {})
  const command = [binary, "-p", "hi", "-m", "scripted"]
  const found = await measureAll(
    [
      { name: "with", command, env: { ...env, ...hooked }, cwd: scratch },
      { name: "without", command, env: { ...env, ...plain }, cwd: scratch }
    ],
    ROUNDS
  )
  const ms = (name: string) => found.get(name)?.ms ?? Number.NaN
  return new Map([[FIVE_HOOKS, timed(ms("with") - ms("without"))]])
}

const homeWith = async (home: string, settings: object) => {
  await mkdir(join(home, ".gemini"), { recursive: true })
  await writeFile(join(home, ".gemini", "settings.json"), JSON.stringify(settings))
  return { HOME: home, GEMINI_CLI_HOME: home }
}
