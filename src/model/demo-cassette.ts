/**
 * A recorded conversation that ships with the program. `--demo` plays it through the real loop, the real tools and the
 * real writers, so that a newcomer without a key sees what a run looks like. The words are recorded; the tool calls are
 * carried out, in a folder that is made for it. They fit whatever is asked and however a question is answered.
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

/** What the folder of the demo holds. */
export const demoFile = {
  name: "average.py",
  text: "def average(values):\n    return sum(values) / (len(values) - 1)\n"
}

export const demoPrompt = `@${demoFile.name} gives 6 for [2, 4]. Fix it.`

const calls = (name: string, args: object) => chunk([{ functionCall: { name, args } }])

const turns = [
  [
    chunk([{ text: "**Reading first** The file comes before the change.", thought: true }]),
    says("This is a recording: my words were written beforehand. The tools are real. "),
    says("Let me read the file once more.\n"),
    calls("read_file", { file_path: demoFile.name }),
    ends(2310, 24)
  ],
  [
    says("The sum is divided by one less than there are numbers. This would be my change:\n"),
    calls("replace", {
      file_path: demoFile.name,
      instruction: "Divide by the number of values.",
      old_string: "(len(values) - 1)",
      new_string: "len(values)"
    }),
    ends(2402, 61)
  ],
  [
    says("That is how a change goes: it is shown as a diff, and a person or a rule decides.\n\n"),
    says('- **Ask once:**  `gemini -p "why does this build fail?" < build.log`\n'),
    says('- **In a pipeline:**  `gemini -p "name three risks" -o json | jq -r .response`\n'),
    says('- **Let it act:**  `gemini --approval-mode auto_edit -p "fix the typo in README.md"`\n\n'),
    says("In a conversation, ask me what the file says now.\n"),
    ends(2489, 131)
  ],
  [
    says("Commands that only read need no question.\n"),
    calls("run_shell_command", { command: `cat ${demoFile.name}`, description: "Show the file" }),
    ends(2633, 20)
  ],
  [says(`What \`${demoFile.name}\` says stands above.\n`), ends(2701, 12)],
  // Played for everything that is asked after it.
  [
    says("The recording ends here, and nothing left your machine. "),
    says("Set `GEMINI_API_KEY` and start `gemini` to talk to a real model; `/quit` leaves.\n"),
    ends(2740, 30)
  ]
]

export const demoFarewell =
  "[INFO] demo: these words were recorded, the tools were real, and nothing left your machine. GEMINI_API_KEY=... gemini talks to a real model."

/** In the format of `--fake-responses`. */
export const demoCassette: string = turns
  .map((response) => JSON.stringify({ method: "generateContentStream", response }))
  .join("\n")
