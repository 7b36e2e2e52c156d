/**
 * A recorded conversation that ships with the program. `--demo` plays it through the real loop and the real writers, so
 * that a newcomer without a key sees what a run looks like.
 */
const chunk = (parts: ReadonlyArray<object>, rest: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...rest }],
  modelVersion: "recorded-demo"
})

const says = (text: string) => chunk([{ text }])

export const demoPrompt = "In a few lines: what are you, and how do I use you from a shell?"

const answer = [
  chunk([{ text: "**Introducing myself** I should be short and show commands.", thought: true }]),
  says("I am `gemini`, an agent for your terminal: one file, no runtime to install.\n\n"),
  says('- **Ask once:**  `gemini -p "why does this build fail?" < build.log`\n'),
  says('- **In a pipeline:**  `gemini -p "name three risks" -o json | jq -r .response`\n'),
  says('- **As events:**  `gemini -p "…" -o stream-json`, one JSON object a line\n\n'),
  says("Set `GEMINI_API_KEY` to talk to a real model; `gemini --help` lists the rest.\n"),
  chunk([{ text: "This answer was recorded. Nothing left your machine.\n" }], {
    finishReason: "STOP"
  }),
  {
    usageMetadata: { promptTokenCount: 312, candidatesTokenCount: 118, totalTokenCount: 441, thoughtsTokenCount: 11 },
    modelVersion: "recorded-demo"
  }
]

/** In the format of `--fake-responses`. */
export const demoCassette: string = JSON.stringify({ method: "generateContentStream", response: answer })
