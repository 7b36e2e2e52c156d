/**
 * Whatever happens in a conversation (text, calls, faults, cancellations, compressions, resumed and damaged histories, in
 * any order), each request that is sent is one that the API accepts, and no result that the model was owed is missing.
 * `scripts/soak-chat.ts` plays thousands of them.
 */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, FastCheck as fc, TestContext } from "effect"
import { anyConversation, playConversation } from "../../test/kit/any-conversation.ts"
import { faultsOf } from "../../test/kit/conversation-faults.ts"
import { MASK_TAG } from "./masking/maskable.ts"

/** What has to have happened for the property to say something. */
const seen = { compressed: 0, masked: 0, cancelled: 0, resumed: 0, signed: 0 }

test("every request is one that the API accepts", async () => {
  const outputDir = mkdtempSync(join(tmpdir(), "gemini-history-"))
  await fc.assert(
    fc.asyncProperty(anyConversation, async (session) => {
      const played = await Effect.runPromise(
        playConversation(session, outputDir).pipe(Effect.provide(TestContext.TestContext))
      )
      expect(faultsOf(session, played)).toEqual([])
      const sent = JSON.stringify(played.requests.at(-1))
      seen.compressed += played.events.filter((event) => event._tag === "ChatCompressed").length
      seen.cancelled += played.cancelled
      seen.masked += sent.includes(MASK_TAG) ? 1 : 0
      seen.signed += sent.includes('"thoughtSignature":"signed"') ? 1 : 0
      seen.resumed += session.acts.some(({ act }) => act === "resume") ? 1 : 0
    }),
    { numRuns: 150 }
  )
  rmSync(outputDir, { recursive: true })
  const rare = Object.entries(seen).filter(([, count]) => count < 5)
  expect(rare).toEqual([])
}, 120_000)
