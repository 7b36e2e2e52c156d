/** `gemini config`: read, explain and change settings without touching what the user wrote around them. */

import { expect, test } from "bun:test"
import { testWith } from "./kit/needs.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const SETTINGS = "home/.gemini/settings.json"

test("get prints the value, also of a default", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{ "model": { "name": "mine" } }')
  expect(await place.run(["config", "get", "model.name"])).toEqual({ stdout: "mine\n", stderr: "", exitCode: 0 })
  expect((await place.run(["config", "get", "general.maxAttempts"])).stdout).toBe("10\n")
})

testWith("jq")("get --json gives a JSON value that a script can read", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{ "model": { "name": "mine" } }')
  const result = await place.shell('"$GEMINI" config get model.name --json | jq -e .')
  expect(result.exitCode).toBe(0)
  expect(result.stdout).toContain('"mine"')
})

test("an unknown key: exit 1 and the nearest one", async () => {
  await using place = await newWorkspace()
  const result = await place.run(["config", "get", "model.nam"])
  expect(result).toMatchObject({ stdout: "", exitCode: 1 })
  expect(result.stderr).toContain("model.name")
})

test("set keeps comments and order, unset removes", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{\n  // why\n  "model": { "name": "old" }, // tail\n  "ui": {}\n}\n')
  expect((await place.run(["config", "set", "model.name", "new"])).exitCode).toBe(0)
  expect(await place.read(SETTINGS)).toBe('{\n  // why\n  "model": { "name": "new" }, // tail\n  "ui": {}\n}\n')
  expect((await place.run(["config", "unset", "model.name"])).exitCode).toBe(0)
  expect(await place.read(SETTINGS)).not.toContain("new")
  expect(await place.read(SETTINGS)).toContain("// why")
})

test("set refuses a value of the wrong type and writes nothing", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, "{}")
  const result = await place.run(["config", "set", "general.maxAttempts", "many"])
  expect(result.exitCode).toBe(1)
  expect(result.stderr).toContain("general.maxAttempts")
  expect(await place.read(SETTINGS)).toBe("{}")
})

test("explain shows every source and the winner", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{ "model": { "name": "of-user" } }')
  await place.write("work/.gemini/settings.json", '{ "model": { "name": "of-project" } }')
  const { exitCode, stdout } = await place.run(["config", "explain", "model.name"])
  expect(exitCode).toBe(0)
  for (const word of ["of-user", "of-project", place.cwd]) expect(stdout).toContain(word)
})

testWith("jq")("path and list", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{ "model": { "name": "mine" } }')
  expect((await place.run(["config", "path"])).stdout).toContain(`${place.home}/.gemini/settings.json`)
  expect((await place.run(["config", "list"])).stdout).toContain("model.name")
  expect((await place.shell('"$GEMINI" config list --json | jq -e . >/dev/null')).exitCode).toBe(0)
})
