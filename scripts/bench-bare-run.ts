/** The least that a one-shot run can be: fetch, parse the stream, print. The unit of the rows on start and memory. */
const answer = await fetch(
  `${process.env.GOOGLE_GEMINI_BASE_URL}/v1beta/models/scripted:streamGenerateContent?alt=sse`,
  {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": process.env.GEMINI_API_KEY ?? "" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] })
  }
)
const decoder = new TextDecoder()
let rest = ""
for await (const piece of answer.body ?? []) {
  rest += decoder.decode(piece, { stream: true })
  const lines = rest.split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) {
    if (!line.startsWith("data:")) continue
    const [candidate] = JSON.parse(line.slice(5)).candidates ?? []
    for (const { text } of candidate?.content?.parts ?? []) process.stdout.write(text ?? "")
  }
}

export {}
