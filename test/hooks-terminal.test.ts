/** Hooks in a conversation: what the person is shown and asked, and when sessions begin and end. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { answering, hookSettings } from "./kit/hook-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const write = (name: string) => call("write_file", { file_path: name, content: "x" })

test("messages under the hook's name, ask, Notification, /hooks, /compress, and the ends of sessions", async () => {
  await using place = await newWorkspace()
  const replies = [ask(write("a.txt")), say("all done"), say("again")]
  const snapshot = say("<state_snapshot>what was said</state_snapshot>")
  await using server = await startModelServer((_, index) => replies[index] ?? snapshot)
  const ignored = answering({ continue: false, decision: "deny", systemMessage: "nobody is kept from it" })
  const log = (word: string) => `echo ${word} >> ../log`
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify(
      hookSettings({
        SessionStart: [
          {
            name: "starter",
            command: `cat >> ../starts; ${answering({ continue: false, systemMessage: "good morning", hookSpecificOutput: { additionalContext: "from the start" } })}`
          }
        ],
        SessionEnd: [
          { name: "ender", command: `cat >> ../ends; ${answering({ decision: "deny", systemMessage: "good night" })}` }
        ],
        BeforeAgent: [{ name: "greeter", command: `${log("agent")}; echo hello from a hook` }],
        BeforeTool: [{ name: "asker", command: answering({ decision: "ask", systemMessage: "look twice" }) }],
        Notification: [{ name: "ringer", command: `cat > ../notice; ${ignored}` }],
        PreCompress: [{ name: "presser", matcher: "manual", command: `cat > ../compress; ${ignored}` }]
      })
    )
  )
  const session = startInTerminal(place, ["-y", "-m", "gemini-2.5-flash"], { server })
  await session.shows(READY)
  await session.shows("starter: good morning")
  session.type("do it\r")
  await session.shows("Allow? ")
  expect(session.plain()).toContain("greeter: hello from a hook")
  expect(session.plain()).toContain("look twice")
  // The hook would ask again: nothing can be allowed for good.
  expect(session.plain()).not.toContain("for this session")
  expect(session.plain()).toContain("ringer: nobody is kept from it")
  expect(readFileSync(join(place.root, "notice"), "utf8")).toContain('"notification_type":"ToolPermission"')
  expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
  session.type("y\r")
  await session.shows("all done")
  expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
  expect(JSON.stringify(server.generations[0]?.body)).toContain("<hook_context>from the start</hook_context>")
  session.type("/hooks disable greeter\r")
  await session.shows("[off] greeter")
  expect(await place.read("home/.gemini/settings.json")).toContain('"disabled"')
  session.type("once more\r")
  await session.shows("again")
  expect(readFileSync(join(place.root, "log"), "utf8")).toBe("agent\n")
  session.type("/compress\r")
  await session.shows("presser: nobody is kept from it")
  expect(readFileSync(join(place.root, "compress"), "utf8")).toContain('"trigger":"manual"')
  session.type("/clear\r")
  await session.shows("ender: good night")
  while (!readFileSync(join(place.root, "starts"), "utf8").includes('"clear"')) await Bun.sleep(10)
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  const words = (name: string, field: string) =>
    readFileSync(join(place.root, name), "utf8").match(new RegExp(`"${field}":"\\w+"`, "g"))
  expect(words("starts", "source")).toEqual(['"source":"startup"', '"source":"clear"'])
  expect(words("ends", "reason")).toEqual(['"reason":"clear"', '"reason":"exit"'])
})

test("Ctrl-C while a hook of the start works: ends the program, and the hook", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => say("never asked"))
  const command = 'echo $$ > "$HOME/hook"; exec sleep 50'
  await place.write("home/.gemini/settings.json", JSON.stringify(hookSettings({ SessionStart: [{ command }] })))
  const terminal = startInTerminal(place, [], { server })
  await terminal.shows(READY)
  while (!existsSync(join(place.home, "hook"))) await Bun.sleep(5)
  terminal.type("\u0003")
  expect(await terminal.exitCode).toBe(130)
  expect(server.generations).toEqual([])
})
