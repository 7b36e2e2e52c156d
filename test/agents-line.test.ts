/** Agents in a conversation: agreement, choice, the command about them, and a person who speaks while one works. */
import { expect, test } from "bun:test"
import { bodyOf, conversationOf, delegating, isAfterTools, isAgent, lastParts } from "./kit/agent-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, sent } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "Type your message"
const OURS = "---\nname: ours\ndescription: Looks.\n---\nYou look.\n"

test("agents of the project are used once the person agreed; a changed one is asked about again", async () => {
  await using place = await newWorkspace()
  await place.write("work/.gemini/agents/ours.md", OURS)
  await using server = await startModelServer(
    delegating([{ agent: "ours", prompt: "look" }], (request) =>
      isAfterTools(request)
        ? ask(call("complete_task", { result: "it is fine" }))
        : ask(call("run_shell_command", { command: "touch made" }))
    )
  )
  // Trusted by a stored word: whoever trusts the folder for one run takes what is in it.
  await place.write("home/.gemini/trustedFolders.json", JSON.stringify({ [place.cwd]: "TRUST_FOLDER" }))
  const env = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
  const first = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, env })
  await first.shows("? 1-2: ")
  expect(first.plain()).toContain("ours (here): Looks. [.gemini/agents/ours.md]")
  first.type("1\r")
  await first.shows(READY)
  first.type("go\r")
  await first.shows("Allow? ")
  expect(first.plain()).toContain("for the agent ours")
  first.type("y\r")
  await first.shows("All is done.")
  expect(first.plain()).toContain("GOAL after 2 turns")
  first.type("\u0004")
  expect(await first.exitCode).toBe(0)

  const second = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, env })
  await second.shows(READY)
  expect(second.plain()).not.toContain("ours (here)")
  await place.write("work/.gemini/agents/ours.md", `${OURS}Also look elsewhere.\n`)
  second.type("/agents reload\r")
  await second.shows("new or have changed: ours")
  await second.shows("? 1-2 (Enter: leave it): ")
  second.type("2\r")
  await second.shows("ours (local, project): waits for your agreement")
  second.type("\u0004")
  expect(await second.exitCode).toBe(0)

  const third = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, env })
  await third.shows("? 1-2: ")
  expect(third.plain()).toContain("ours (here)")
  third.type("2\r")
  await third.shows(READY)
  third.type("\u0004")
  expect(await third.exitCode).toBe(0)
}, 60_000)

test("/agents lists, turns off and on and configures; @ completes a name; a new model counts for the next agent", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(
    delegating([{ agent: "codebase_investigator", prompt: "look" }], () =>
      ask(
        call("complete_task", {
          report: { SummaryOfFindings: "nothing", ExplorationTrace: [], RelevantLocations: [] }
        })
      )
    )
  )
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, columns: 160 })
  await session.shows(READY)
  session.type("/agents list\r")
  await session.shows("codebase_investigator (local, built-in)")
  await session.shows("generalist (local, built-in)")
  session.type("/agents disable generalist\r")
  await session.shows("agents.overrides.generalist.enabled is false")
  session.type("/agents\r")
  await session.shows("generalist (local, built-in, disabled)")
  session.type("/agents enable generalist\r")
  await session.shows("agents.overrides.generalist.enabled is true")
  session.type("/agents config generalist maxTurns 7\r")
  await session.shows("agents.overrides.generalist.runConfig.maxTurns is 7")
  session.type("/agents config generalist\r")
  await session.shows("maxTurns: 7")
  session.type("/agents config generlist\r")
  await session.shows("Did you mean generalist?")
  session.type("/model set gemini-3.1-pro-preview\r")
  await session.shows("The model is now gemini-3.1-pro-preview.")
  session.type("@codeb\t")
  await session.shows("@codebase_investigator")
  session.type(" look around\r")
  await session.shows("All is done.")
  expect(lastParts(server.generations[0])).toContain('the user chose the sub-agent \\"codebase_investigator\\"')
  expect(server.generations.map(({ model }) => model)).toEqual([
    ...["gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-3.1-pro-preview"]
  ])
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expect(JSON.parse(await place.read("home/.gemini/settings.json")).agents.overrides).toEqual({
    generalist: { enabled: true, runConfig: { maxTurns: 7 } }
  })
}, 60_000)

test("a hint reaches the agent that works, and whoever it works for, before their next step", async () => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "experimental": { "modelSteering": true } }')
  await place.write(
    "home/.gemini/agents/patient.md",
    "---\nname: patient\ndescription: Looks.\nmax_turns: 300\n---\nLook.\n"
  )
  await using server = await startModelServer(
    delegating([{ agent: "patient", prompt: "look" }], (request) =>
      conversationOf(request).includes("in French, please")
        ? ask(call("complete_task", { result: "d'accord" }))
        : sent(ask(call("list_directory", { dir_path: ".", ignore: [String(Math.random())] })), { delayMs: 100 })
    ),
    { strict: true }
  )
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
  await session.shows(READY)
  session.type("go\r")
  await server.received(2)
  session.type("in French, please\r")
  await session.shows("(told to the model with its next step")
  await session.shows("All is done.")
  const hint = { text: "The user says while you work: in French, please" }
  const answer = { functionResponse: expect.anything() }
  const lastOf = (whose: "agent" | "main") =>
    server.generations.filter((request) => isAgent(request) === (whose === "agent")).at(-1)
  for (const whose of ["agent", "main"] as const) {
    const request = lastOf(whose)
    expect(request === undefined ? [] : bodyOf(request).contents.at(-1)?.parts).toEqual([hint, answer])
  }
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expect(server.generations.filter((request) => !isAgent(request))).toHaveLength(2)
}, 60_000)
