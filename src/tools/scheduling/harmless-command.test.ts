import { describe, expect, test } from "bun:test"
import { isHarmlessCommand } from "./harmless-command.ts"

describe("commands that change nothing", () => {
  test.each([
    "ls",
    "ls -la src",
    "cat a.txt | head -n 5",
    "cd src && ls; pwd",
    "grep -rn 'a > b; rm x' src",
    'echo "hello, world"',
    "test -f a.txt && echo yes || echo no"
  ])("%s", (command) => expect(isHarmlessCommand(command)).toBe(true))
})

describe("commands that may change something", () => {
  test.each([
    "",
    "rm a",
    "ls > out",
    "ls>out",
    "cat a | tee b",
    "echo $(rm a)",
    'echo "$(rm a)"',
    "echo `rm a`",
    "ls & rm a",
    "ls &",
    "ls\nrm a",
    "FOO=1 ls",
    "./ls",
    "ls *",
    "{ rm a; }",
    "ls; rm a",
    "ls || rm a",
    "sort -o a b",
    "find . -delete",
    "git status",
    "sed -i s/a/b/ c",
    "cat <(rm a)",
    "cat << EOF",
    "echo 'unfinished",
    'ls "a\\"; rm b"',
    "command rm a",
    "ls !x",
    `ls ${"x".repeat(3000)}`
  ])("%s", (command) => expect(isHarmlessCommand(command)).toBe(false))
})
