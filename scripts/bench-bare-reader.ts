/** Reads a streamed answer and does no more with it than it takes to know what it says: the bench compares us with this. */
const read = async (): Promise<number> => {
  const response = await fetch(`${process.env.GOOGLE_GEMINI_BASE_URL}/`, { method: "POST", body: "{}" })
  const decoder = new TextDecoder()
  let rest = ""
  let characters = 0
  for await (const bytes of response.body ?? []) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\r\n\r\n")
    rest = events.pop() ?? ""
    for (const event of events)
      characters += JSON.parse(event.slice("data: ".length)).candidates[0].content.parts[0].text.length
  }
  return characters
}

const main = async (): Promise<void> => {
  const characters = await read()
  if (characters === 0) throw new Error("nothing was read")
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
})
