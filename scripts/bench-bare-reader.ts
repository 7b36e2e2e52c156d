/**
 * Reads a streamed answer, prints it and keeps it in a file, as a run does, and nothing else: the bench compares us with
 * this. It knows where the text stands, checks nothing and survives nothing.
 */
import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs"

const [file = ""] = process.argv.slice(2)

const read = async (): Promise<string> => {
  const response = await fetch(`${process.env.GOOGLE_GEMINI_BASE_URL}/`, { method: "POST", body: "{}" })
  const decoder = new TextDecoder()
  const out = Bun.stdout.writer()
  let rest = ""
  let answer = ""
  for await (const bytes of response.body ?? []) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\r\n\r\n")
    rest = events.pop() ?? ""
    let text = ""
    for (const event of events) text += JSON.parse(event.slice("data: ".length)).candidates[0].content.parts[0].text
    await out.write(text)
    await out.flush()
    answer += text
  }
  return answer
}

const keep = (answer: string): void => {
  const fd = openSync(file, "w")
  writeFileSync(fd, JSON.stringify({ answer }))
  fsyncSync(fd)
  closeSync(fd)
}

const main = async (): Promise<void> => {
  const answer = await read()
  if (answer === "") throw new Error("nothing was read")
  keep(answer)
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
})
