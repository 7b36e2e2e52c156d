/** Reads a streamed answer with the official SDK and prints its text: what the bench compares our own reading with. */
import { GoogleGenAI } from "@google/genai/web"

const main = async (): Promise<void> => {
  const baseUrl = process.env.GOOGLE_GEMINI_BASE_URL ?? ""
  const { models } = new GoogleGenAI({ apiKey: "bench", httpOptions: { baseUrl } })
  const sink = Bun.stdout.writer()
  for await (const chunk of await models.generateContentStream({ model: "scripted", contents: "hi" })) {
    await sink.write(chunk.text ?? "")
    await sink.flush()
  }
  await sink.end()
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
})
