/** What the program keeps for its user is for the user alone, also where it was not. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const OPEN = 'find "$HOME/.gemini" -perm /077 ! -type l'

test("nothing that runs and commands write is open to other users", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([
    ask(call("save_memory", { fact: "x" })),
    ask(call("write_file", { file_path: "a.txt", content: "x" })),
    ask(call("run_shell_command", { command: "seq 200000" })),
    say("done"),
    say("done")
  ])
  await place.write("work/skill/SKILL.md", "---\nname: notes\ndescription: y\n---\nText\n")
  const { stdout, stderr } = await place.shell(
    [
      "umask 022",
      '"$GEMINI" config set model.name x --scope user',
      '"$GEMINI" mcp add -s user docs true',
      '"$GEMINI" -p x --yolo',
      OPEN
    ].join(" && "),
    { server }
  )
  expect(stdout).toEndWith("done\n")
  expect(stderr).not.toContain("other users")
})

test("a folder that was open is closed with what is in it, once, and that is told", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => say("done"))
  const { stdout, stderr } = await place.shell(
    [
      "umask 022",
      'mkdir -p "$HOME/.gemini/tmp/old" shared',
      'echo "{}" > "$HOME/.gemini/projects.json"; echo x > "$HOME/.gemini/tmp/old/logs.json"',
      'ln -s "$PWD/shared" "$HOME/.gemini/commands"',
      '"$GEMINI" -p x && "$GEMINI" -p x',
      OPEN,
      "stat -c %a shared"
    ].join("; "),
    { server }
  )
  expect(stdout).toBe("done\ndone\n755\n")
  expect(stderr).toBe(
    `[INFO] 5 entries in ${place.home}/.gemini could be read by other users of this machine; closed\n`
  )
})
