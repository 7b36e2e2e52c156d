/** A conversation in which something has to be decided: a model that is given up, a loop, a prompt that does not fit. */
import { describe, expect, test } from "bun:test"
import { DAILY_QUOTA, googleError, quotaFailure } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, type Reply, say, text } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const CTRL_D = "\u0004"
const USED_UP = googleError(429, "no more today", [quotaFailure(DAILY_QUOTA)])
const PINNED = ["-m", "gemini-2.5-pro"]

describe.concurrent("a model that is given up", () => {
  test("is replaced where the person says so, for the rest of the session and nobody else's", async () => {
    await using server = await startModelServer(
      ({ model }): Reply => (model === "gemini-2.5-pro" ? USED_UP : say("the other one speaks"))
    )
    await using place = await newWorkspace()
    const session = startInTerminal(place, PINNED, { server })
    await session.shows(READY)
    session.type("hello\r")
    await session.shows("The usage limit of gemini-2.5-pro is reached.")
    await session.shows("? 1-2: ")
    expect(session.plain()).toContain("1. Switch to gemini-3.5-flash")
    session.type("1\r")
    await session.shows("the other one speaks")
    session.type("again\r")
    await session.showsNext("the other one speaks")
    session.type("/model set gemini-2.5-pro\r")
    await session.shows("The model is now gemini-2.5-pro.")
    session.type("once more\r")
    await session.showsNext("? 1-2: ")
    session.type("2\r")
    await session.showsNext("no more today")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(server.generations.map(({ model }) => model)).toEqual([
      "gemini-2.5-pro",
      "gemini-3.5-flash",
      "gemini-3.5-flash",
      "gemini-2.5-pro"
    ])
  })

  test("is no question while planning, nor where --on-quota has answered it", async () => {
    await using server = await startModelServer(
      ({ model }): Reply => (model === "gemini-2.5-pro" ? USED_UP : say("the other one speaks"))
    )
    await using place = await newWorkspace()
    const planning = startInTerminal(place, PINNED, { server })
    await planning.shows(READY)
    planning.type("/plan\r")
    await planning.shows("Plan mode is on")
    planning.type("hello\r")
    await planning.shows("the other one speaks")
    planning.type(CTRL_D)
    expect(await planning.exitCode).toBe(0)
    const failing = startInTerminal(place, [...PINNED, "--on-quota", "fail"], { server })
    await failing.shows(READY)
    failing.type("hello\r")
    await failing.shows("no more today")
    failing.type(CTRL_D)
    expect(await failing.exitCode).toBe(0)
    expect(failing.plain()).not.toContain("1. ")
  })
})

test("a loop that is none goes on when the person says so", async () => {
  const same = ask(call("list_directory", { dir_path: "." }))
  await using server = await startModelServer((_, index): Reply => (index < 16 ? same : say("all listed")))
  await using place = await newWorkspace()
  const session = startInTerminal(place, PINNED, { server })
  await session.shows(READY)
  session.type("list it\r")
  await session.shows("Is this a loop?")
  await session.shows("? 1-2: ")
  session.type("2\r")
  await session.shows("all listed")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
  expect(server.generations).toHaveLength(17)
})

test("a prompt that does not fit is given back, with the way out of it", async () => {
  const full = answer([chunk(text("nearly full")), finish("STOP", { prompt: 1_048_560 })])
  const main = [full, say("short enough")]
  // Compressing comes first, and here nobody writes the snapshot that it takes.
  await using server = await startModelServer(({ operation }) =>
    operation === "streamGenerateContent" ? (main.shift() ?? say("too much")) : say("")
  )
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "model": { "compressionThreshold": 1 } }')
  const session = startInTerminal(place, PINNED, { server })
  await session.shows(READY)
  session.type("fill it\r")
  await session.shows("nearly full")
  const long = "x".repeat(100)
  session.type(`keep this ${long}\r`)
  await session.shows("/compress shortens it")
  await session.shows("The prompt is in the line again.")
  // The last word goes, the rest is sent.
  session.type("\u0017\r")
  await session.shows("short enough")
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)
  const asked = server.generations.filter(({ operation }) => operation === "streamGenerateContent")
  const body = JSON.stringify(asked[1]?.body)
  expect(body).toContain("keep this")
  expect(body).not.toContain(long)
})
