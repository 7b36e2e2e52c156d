/** The real standard input of a child process, in the shapes that shells give it. */
import { expect, test } from "bun:test"

const reader = `${process.execPath} ${Bun.fileURLToPath(import.meta.resolve("./fixtures/read-stdin.ts"))}`

/** Runs a line of bash in which `READ` stands for the program that reads. */
const shell = async (line: string): Promise<unknown> => {
  const child = Bun.spawn(["bash", "-c", line.replaceAll("READ", reader)], {
    cwd: import.meta.dir,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit"
  })
  return JSON.parse(await new Response(child.stdout).text())
}

const plain = (text: string | number) => ({ text, truncated: false, notes: [] })
/** Descriptor 3 becomes a pipe whose producer says nothing. */
const SILENT = "exec 3< <(exec sleep 60);"
/** Descriptor 3 becomes a pipe that only the shell which starts the reader could write into. */
const LEFT_OPEN = "pipe=$(mktemp -u); mkfifo $pipe; exec 3<> $pipe; rm $pipe;"
const LIMIT = 8 * 1024 * 1024

test.each<[string, string, unknown]>([
  ["a pipe", "printf 'a\\nb\\n' | READ prompt", plain("a\nb\n")],
  ["a slow producer", "(sleep 0.7; echo late) | READ prompt", plain("late\n")],
  ["a slow producer that is the prompt", "(sleep 0.7; echo late) | READ none 0.1", plain("late\n")],
  ["a pause after the first byte", "(printf a; sleep 0.7; printf b) | READ prompt 0.3", plain("ab")],
  ["an empty pipe", ": | READ prompt", plain("")],
  ["/dev/null", "READ none < /dev/null", plain("")],
  ["closed", "READ none <&-", plain("")],
  ["a here document", "READ none <<< hello", plain("hello\n")],
  [
    "a file, from where the shell left off",
    "file=$(mktemp); printf '1\\n2\\n3\\n' > $file; (read -r first; READ none) < $file; rm $file",
    plain("2\n3\n")
  ],
  ["a folder", "READ none < .", { failed: "Standard input is a folder" }],
  ["write-only", "READ none 0> /dev/full", { failed: expect.stringContaining("Cannot read standard input") }],
  [
    "a pipe that was left open, beside a prompt",
    `${LEFT_OPEN} READ prompt 0.2 <&3`,
    {
      text: "",
      truncated: false,
      notes: ["Nothing came on standard input within 200ms: going on without it (--stdin-timeout)"]
    }
  ],
  ["a silent producer beside a prompt", `${SILENT} READ prompt 0.2 '900 millis' <&3; kill $!`, "interrupted"],
  ["a producer that is slower than the limit", "(sleep 0.7; echo late) | READ prompt 0.2", plain("late\n")],
  ["a silent pipe whose reader is stopped", `${SILENT} READ none 10 '300 millis' <&3; kill $!`, "interrupted"],
  [
    "an endless producer",
    "yes | READ prompt",
    { text: LIMIT, truncated: true, notes: ["Standard input is longer than 8 MiB: what lies beyond was dropped"] }
  ],
  ["an endless device", "READ none < /dev/zero", { failed: expect.stringContaining("binary data") }]
])("%s", async (_, line, expected) => expect(await shell(line)).toEqual(expected))
