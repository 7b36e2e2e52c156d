/** More than an editor can read at once. */
import { expect, test } from "bun:test"
import { BINARY, environmentOf, newWorkspace } from "./kit/run-gemini.ts"

test("a reader that stops stops the model; nothing is held for it, and nothing is lost", async () => {
  await using place = await newWorkspace()
  const PIECES = 60_000
  await place.write("home/.gemini/settings.json", '{ "model": { "disableLoopDetection": true } }')
  const words = "w".repeat(2_000)
  let sent = 0
  const event = (body: unknown) => `data: ${JSON.stringify(body)}\r\n\r\n`
  const piece = (end?: string) =>
    event({ candidates: [{ content: { role: "model", parts: [{ text: `${sent} ${words}` }] }, finishReason: end }] })
  using endless = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: () => {
      const body = new ReadableStream<string>({
        pull: (controller) => {
          sent += 1
          controller.enqueue(piece(sent === PIECES ? "STOP" : undefined))
          if (sent === PIECES) controller.close()
        }
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
  })
  const child = Bun.spawn([BINARY, "--acp", "-m", "gemini-2.5-flash"], {
    cwd: place.cwd,
    env: {
      ...environmentOf(place.root, undefined),
      GEMINI_API_KEY: "k",
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${endless.port}`
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore"
  })
  const send = (id: number, method: string, params: unknown) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
  const reader = child.stdout.getReader()
  let rest = ""
  let read = 0
  const messages = async (isLast: (message: Record<string, unknown>) => boolean) => {
    const decoder = new TextDecoder()
    while (true) {
      const end = rest.indexOf("\n")
      if (end === -1) rest += decoder.decode((await reader.read()).value, { stream: true })
      else {
        const message = JSON.parse(rest.slice(0, end))
        rest = rest.slice(end + 1)
        if (message.params?.update?.sessionUpdate === "agent_message_chunk") {
          read += String(message.params.update.content.text).split(words).length - 1
        }
        if (isLast(message)) return message
      }
    }
  }
  const resident = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${child.pid}/status`).text())?.[1]) / 1024

  send(1, "initialize", { protocolVersion: 1 })
  await messages(({ id }) => id === 1)
  send(2, "session/new", { cwd: place.cwd, mcpServers: [] })
  const { result } = await messages(({ id }) => id === 2)
  send(3, "session/prompt", { sessionId: Object(result).sessionId, prompt: [{ type: "text", text: "go" }] })
  await messages(() => read > 0)
  const before = await resident()
  // Nobody reads: when nothing more is sent for a while, everything on the way is full.
  for (let last = -1, calm = 0; calm < 5; calm = sent === last ? calm + 1 : 0) {
    last = sent
    await Bun.sleep(100)
  }
  expect(sent).toBeLessThan(PIECES / 2)
  expect(await resident()).toBeLessThan(before + 100)
  expect(await messages(({ id }) => id === 3)).toMatchObject({ result: { stopReason: "end_turn" } })
  expect([read, sent]).toEqual([PIECES, PIECES])
  await child.stdin.end()
  await child.exited
}, 60_000)
