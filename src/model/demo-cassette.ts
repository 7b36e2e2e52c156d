/**
 * A recorded conversation that ships with the program. `--demo` plays it through the real loop, the real tools and the
 * real writers, so that a newcomer without a key sees what a run looks like. The words are recorded; the tool call is
 * carried out.
 */
const MODEL = "recorded-demo"

const chunk = (parts: ReadonlyArray<object>, rest: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...rest }],
  modelVersion: MODEL
})

const says = (text: string) => chunk([{ text }])

const ends = (promptTokenCount: number, candidatesTokenCount: number) => ({
  ...chunk([], { finishReason: "STOP" }),
  usageMetadata: {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount
  }
})

export const demoPrompt =
  "Look at this folder, then tell me in a few lines what you are and how to use you from a shell."

const turns = [
  [
    chunk([{ text: "**Looking first** The folder comes before the introduction.", thought: true }]),
    says("Let me look at this folder.\n"),
    chunk([{ functionCall: { name: "list_directory", args: { dir_path: "." } } }]),
    ends(2310, 24)
  ],
  [
    says(
      "I have just read the names in this folder with a real tool (`-o stream-json` shows the call and its result).\n\n"
    ),
    says("I am `gemini`, an agent for your terminal: one file, no runtime to install.\n\n"),
    says('- **Ask once:**  `gemini -p "why does this build fail?" < build.log`\n'),
    says('- **In a pipeline:**  `gemini -p "name three risks" -o json | jq -r .response`\n'),
    says('- **Let me act:**  `gemini --approval-mode auto_edit -p "fix the typo in README.md"`\n\n'),
    says("Set `GEMINI_API_KEY` to talk to a real model; `gemini --help` lists the rest.\n"),
    says("These words were recorded. Nothing left your machine.\n"),
    ends(2402, 131)
  ]
]

/** In the format of `--fake-responses`. */
export const demoCassette: string = turns
  .map((response) => JSON.stringify({ method: "generateContentStream", response }))
  .join("\n")
