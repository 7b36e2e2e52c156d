/** What a conversation at a terminal tells: commands, modes, keys, and one session after the other. */
import { expect, test } from "bun:test"
import { type Collected, collectedInFile, logNames, logsNamed, metricNamed } from "./kit/collected.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const SHIFT_TAB = "\u001b[Z"
const CTRL_U = "\u0015"
const CTRL_D = "\u0004"

/** Without what the next one has told by now. */
const firstSession = ({ logs, ...rest }: Collected): Collected => {
  const id = logs[0]?.attributes["session.id"]
  return { ...rest, logs: logs.filter(({ attributes }) => attributes["session.id"] === id) }
}

test("commands, modes and keys are told, and all of a session is in the file when the next one begins", async () => {
  await using server = await startModelServer([say("hello there")])
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "telemetry": { "enabled": true, "outfile": "t.log" } }')
  const session = startInTerminal(place, [], { server, env: { GEMINI_FORCE_FILE_STORAGE: "true" } })
  await session.shows(READY)
  session.type("/model set gemini-2.5-flash\r")
  await session.shows("The model is now gemini-2.5-flash")
  session.type(SHIFT_TAB)
  await session.shows("auto-edit> ")
  session.type("hi\r")
  await session.shows("hello there")
  session.type("/rewind 7\r")
  await session.shows("There is no prompt 7")
  session.type("/rewind 1 --chat\r")
  await session.shows("which is in the line again")
  session.type(`${CTRL_U}/clear\r`)
  await session.shows("A new session begins.")
  // Whatever answers this is the next session: the first one has ended.
  session.type("/privacy\r")
  await session.shows("Telemetry is on")

  const first = firstSession(collectedInFile(await place.read("work/t.log")))
  expect(logNames(first).at(-1)).toBe("end_session")
  expect(logsNamed(first, "gemini_cli.slash_command")).toMatchObject([
    { command: "model", subcommand: "set", status: "success", interactive: true },
    { command: "rewind", status: "error" },
    { command: "rewind", status: "success" },
    { command: "clear", status: "success" }
  ])
  expect(logsNamed(first, "gemini_cli.slash_command.model")).toMatchObject([{ model_name: "gemini-2.5-flash" }])
  expect(logsNamed(first, "gemini_cli.rewind")).toMatchObject([{ outcome: "rewind_only" }])
  expect(logsNamed(first, "gemini_cli.plan.approval_mode_switch")).toMatchObject([
    { from_mode: "default", to_mode: "auto_edit" }
  ])
  expect(logsNamed(first, "gemini_cli.plan.approval_mode_duration")).toMatchObject([
    { mode: "default" },
    { mode: "auto_edit" }
  ])
  expect(logsNamed(first, "gemini_cli.conversation_finished")).toMatchObject([{ approvalMode: "auto_edit" }])
  const components = metricNamed(first, "gemini_cli.memory.usage")?.points.map(({ attributes }) => attributes.component)
  expect(components).toContain("activity_user_input_start")

  session.type("/auth\r")
  await session.shows("? 1-5 (Enter: 2): ")
  session.type("2\r")
  await session.shows("The key")
  session.type("another-secret-key\r")
  await session.shows("Keep it?")
  session.type("1\r")
  await session.shows("The key is kept")
  session.type("/about\r")
  await session.shows("Sign-in")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)

  const text = await place.read("work/t.log")
  const all = collectedInFile(text)
  expect(text).not.toContain("another-secret-key")
  const sessions = logsNamed(all, "end_session").map(({ session_id }) => session_id)
  expect(logsNamed(all, "gemini_cli.config").map((attributes) => attributes["session.id"])).toEqual(sessions)
  expect(sessions).toHaveLength(3)
  expect(logNames(all).filter((name) => name === "gemini_cli.startup_stats")).toHaveLength(1)
  // It happened between two sessions, and is told by the one that came after.
  expect(logsNamed(all, "gemini_cli.api_key_updated")).toMatchObject([
    { new_auth_type: "gemini-api-key", "session.id": sessions[2] }
  ])
  expect(logsNamed(all, "gemini_cli.token_storage.initialization")[0]).toMatchObject({
    type: "encrypted_file",
    forced: true
  })
})
