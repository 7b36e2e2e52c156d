/** Agents in the bench: eight at once against one, on a model that takes its time; and fifty definitions at a start. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type ModelRequest, startModelServer } from "../../test/kit/model-server.ts"
import { ask, call, type Reply, say, sent } from "../../test/kit/replies.ts"
import type { ExtendBench } from "./bench-extend.ts"
import { EIGHT_AGENTS, FIFTY_AGENTS, NO_AGENTS, ONE_AGENT } from "./bench-rows.ts"
import { type Measured, measureAll } from "./measure.ts"

const ROUNDS = { timed: 10, weighed: 0 }
/** As long as a quick model thinks: side by side, eight agents wait as long as one. */
const THINKING_MS = 300

export const measureAgents = async (bench: ExtendBench): Promise<Measured> =>
  new Map([...(await sideBySide(bench)), ...(await installed(bench))])

/** One agent, and as many as are asked for. */
export const sideBySide = async (
  { binary, env, onPart, scratch }: ExtendBench,
  count = 8,
  [few, all] = [ONE_AGENT, EIGHT_AGENTS]
): Promise<Measured> => {
  onPart(`${count} sub-agents at once`)
  await using one = await startModelServer(delegating(1))
  await using many = await startModelServer(delegating(count))
  const home = join(scratch, "agents-home")
  await mkdir(home, { recursive: true })
  const programs = [
    { name: few, url: one.url },
    { name: all, url: many.url }
  ].map(({ name, url }) => ({
    name,
    command: [binary, "-p", "go", "-m", "scripted"],
    env: { ...env, HOME: home, GEMINI_CLI_HOME: home, GOOGLE_GEMINI_BASE_URL: url },
    cwd: scratch
  }))
  // Awaited here: the servers go away with this function.
  return await measureAll(programs, ROUNDS)
}

/** The main agent gives out as many tasks; each agent needs one answer for its own. */
const delegating =
  (count: number) =>
  (request: ModelRequest): Reply => {
    const text = JSON.stringify(request.body)
    if (text.includes("complete_task")) {
      return sent(ask(call("complete_task", { result: { response: "done" } })), { delayMs: THINKING_MS })
    }
    if (text.includes("functionResponse")) return say("All is done.")
    return ask(
      ...Array.from({ length: count }, (_, index) =>
        call("invoke_agent", { agent_name: "generalist", prompt: `task ${index}` })
      )
    )
  }

const installed = async ({ binary, env, onPart, scratch }: ExtendBench): Promise<Measured> => {
  onPart("50 agents installed")
  const [empty, full] = [join(scratch, "no-agents-home"), join(scratch, "fifty-agents-home")]
  await mkdir(empty, { recursive: true })
  await mkdir(join(full, ".gemini/agents"), { recursive: true })
  for (let index = 0; index < 50; index++) {
    await writeFile(join(full, `.gemini/agents/agent-${index}.md`), definition(index))
  }
  const command = [binary, "-p", "hi", "-m", "scripted"]
  return measureAll(
    [
      { name: NO_AGENTS, command, env: { ...env, HOME: empty, GEMINI_CLI_HOME: empty }, cwd: scratch },
      { name: FIFTY_AGENTS, command, env: { ...env, HOME: full, GEMINI_CLI_HOME: full }, cwd: scratch }
    ],
    ROUNDS
  )
}

const definition = (index: number): string =>
  `---\nname: agent-${index}\ndescription: Does thing number ${index}.\ntools: [read_file, glob]\nmax_turns: 5\n---\nYou do it.\n`
