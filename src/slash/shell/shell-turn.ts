/** What the conversation is told of a command that the person ran. Pure. */
import type { Content } from "../../protocol/content.ts"
import { headAndTail } from "./head-and-tail.ts"

const MAX_OUTPUT = 10_000

export interface ShellEnd {
  readonly output: string
  /** `undefined`: it did not end by itself. */
  readonly exitCode: number | undefined
  readonly signal: number | undefined
  readonly isCancelled: boolean
}

export const shellTurn = (command: string, end: ShellEnd): Content => ({
  role: "user",
  parts: [
    {
      text: [
        "I ran this shell command:",
        ...fenced("sh", command),
        "",
        "Its result:",
        ...fenced("", [...endLines(end), headAndTail(end.output, MAX_OUTPUT) || "(no output)"].join("\n"))
      ].join("\n")
    }
  ]
})

const fenced = (language: string, text: string): ReadonlyArray<string> => [
  `\`\`\`${language}`,
  text.replace(/[\\`]/g, "\\$&"),
  "```"
]

const endLines = ({ exitCode, isCancelled, signal }: ShellEnd): ReadonlyArray<string> => {
  if (isCancelled) return ["The command was cancelled."]
  if (signal !== undefined) return [`The command was ended by signal ${signal}.`]
  return exitCode === 0 || exitCode === undefined ? [] : [`The command ended with exit code ${exitCode}.`]
}
