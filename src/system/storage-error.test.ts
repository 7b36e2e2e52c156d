import { expect, test } from "bun:test"
import { StorageError } from "./storage-error.ts"

test.each([
  ["ENOSPC", "the disk is full, make room on it"],
  ["EDQUOT", "the disk is full, make room on it"],
  ["EROFS", "it is on a disk that is read only"],
  ["EACCES", "check its permissions"]
])("%s comes with advice that can help", (detail, advice) => {
  const { message } = new StorageError({ path: "/home/x", kind: "write", detail })
  expect(message).toBe(`/home/x cannot be written (${detail}): ${advice}, or set GEMINI_CLI_HOME to another folder.`)
})
