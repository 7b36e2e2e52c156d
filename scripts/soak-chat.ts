/**
 * The agent loop for hours, in virtual time and in this process: random conversations, each request of which must be one
 * that the API accepts, then tasks of thousands of steps with faults, cancellations and restarts, which must end with the
 * right answer. `scripts/soak-chat.ts [conversations] [tasks]`. Prints what was played; exits with 1 at the first fault.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, FastCheck as fc, TestContext } from "effect"
import { anyConversation, playConversation } from "../test/kit/any-conversation.ts"
import { faultsOf } from "../test/kit/conversation-faults.ts"
import { workThrough } from "../test/kit/long-task.ts"

const CONVERSATIONS = Number(process.argv[2] ?? 20_000)
const TASKS = Number(process.argv[3] ?? 6)
const STEPS = 5000

const say = (text: string) => void process.stdout.write(`${text}\n`)

const playConversations = async (outputDir: string): Promise<void> => {
  let requests = 0
  await fc.assert(
    fc.asyncProperty(anyConversation, async (session) => {
      const played = await Effect.runPromise(
        playConversation(session, outputDir).pipe(Effect.provide(TestContext.TestContext))
      )
      requests += played.requests.length
      const [fault] = faultsOf(session, played)
      if (fault !== undefined) throw new Error(fault)
    }),
    { numRuns: CONVERSATIONS }
  )
  say(`${CONVERSATIONS} conversations with ${requests} requests: the API would accept each of them`)
}

const doTask = async (seed: number): Promise<void> => {
  const task = workThrough({ steps: STEPS, seed, isDisturbed: seed % 2 === 0 })
  const { done, elapsed, events, requests, result, violations } = await Effect.runPromise(
    task.pipe(Effect.scoped, Effect.provide(TestContext.TestContext))
  )
  if (violations.length > 0) throw new Error(`task ${seed}: ${violations[0]}`)
  if (result._tag === "Left") throw new Error(`task ${seed} ended early: ${result.left.message}`)
  if (done.size !== STEPS) throw new Error(`task ${seed}: ${STEPS - done.size} steps were never done`)
  const compressions = events.filter((event) => event._tag === "ChatCompressed").length
  say(`task ${seed}: ${requests.length} requests, ${compressions} compressions, ${Duration.format(elapsed)} of work`)
}

const outputDir = mkdtempSync(join(tmpdir(), "soak-chat-"))
try {
  await playConversations(outputDir)
  for (let seed = 1; seed <= TASKS; seed++) await doTask(seed)
} catch (error) {
  say(String(error))
  process.exitCode = 1
} finally {
  rmSync(outputDir, { recursive: true, force: true })
}
