/** Everyday work inside the default profile: repositories of all kinds, many secrets, odd places, walls that fail. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { chmod, mkdir, readdir, realpath, symlink } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { isLeftOut, testWith } from "./kit/needs.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

// Ten thousand folders take a busy machine their time.
setDefaultTimeout(60_000)

const IDENTITY = '[user]\n\tname = A\n\temail = a@example.org\n[protocol "file"]\n\tallow = always\n'

const inside = (place: Workspace, backend: string, folder: string, script: string) =>
  place.shell(`cd '${folder}' && exec "$GEMINI" sandbox run -- bash -c '${script}'`, {
    env: { GEMINI_SANDBOX: backend }
  })

const prepared = async (script: string) => {
  const place = await newWorkspace()
  await place.write("home/.gitconfig", IDENTITY)
  const made = await place.shell(`set -e; cd ${place.root}; ${script}`)
  expect(made).toMatchObject({ exitCode: 0 })
  return place
}

const REPOSITORY = "git init -q -b main repo; cd repo; echo a >a; git add a; git commit -qm first"

const testAsRoot = test.skipIf(process.getuid?.() !== 0 || isLeftOut("unshare"))

/** What is done in a table of mounts of its own, what runs in the workspace, and what comes of it. */
const ODD_MOUNTS = [
  [
    "can only be read",
    "mount --bind work work; mount -o remount,bind,ro work; cd work",
    "cat old; echo x >new; ls",
    "old\nold\n"
  ],
  [
    "nothing is run from",
    "mount -t tmpfs -o noexec none work; cd work",
    "cp /bin/true p; ./p || echo no; echo x >new; ls",
    "no\nnew\np\n"
  ],
  [
    "is mounted a second time",
    "mkdir m; mount --bind work m; cd m; echo SECRET >.env",
    "cat .env old; echo x >new; ls",
    "old\nnew\nold\n"
  ],
  [
    "has a mount in it",
    "cd work; mkdir sub; mount -t tmpfs none sub; echo SECRET >sub/.env",
    "cat sub/.env; echo x >sub/new; ls sub",
    "new\n"
  ],
  [
    "has one in it that can only be read",
    "cd work; mkdir sub; mount -t tmpfs -o ro none sub",
    "echo x >sub/new; ls sub; echo x >new; ls",
    "new\nold\nsub\n"
  ],
  [
    "is /tmp",
    // The program may lie below /tmp itself.
    'mount -t tmpfs none /mnt; touch /mnt/g; mount --bind "$GEMINI" /mnt/g; GEMINI=/mnt/g; ' +
      "mkdir h; mount --bind . h; mount --bind work /tmp; cd /tmp; echo SECRET >.env",
    "cat .env; echo x >new; ls new old",
    "new\nold\n"
  ]
].map(
  ([name = "", prepare = "", script = "", stdout = ""]) => [name, prepare, script, { stdout, exitCode: 0 }] as const
)

describe.each(["bwrap", "landlock"])("%s", (backend) => {
  test("a commit in a repository", async () => {
    await using place = await prepared(REPOSITORY)
    const run = await inside(
      place,
      backend,
      join(place.root, "repo"),
      "echo b >b && git add b && git commit -qm second && git log --oneline | wc -l"
    )
    expect(run).toMatchObject({ stdout: "2\n", exitCode: 0 })
  })

  test("no FIFO that stands for a part of a repository is waited for", async () => {
    const parts = "git init -q .; for f in .git/config .git/commondir; do rm -f $f; mkfifo $f; done"
    await using place = await prepared(
      `mkdir -p odd/sub odd/sub2; cd odd; ${parts}; mkfifo sub/.git; cd sub2; ${parts}`
    )
    const run = await inside(place, backend, join(place.root, "odd"), "echo ran")
    expect(run).toMatchObject({ stdout: "ran\n", stderr: "", exitCode: 0 })
  })

  test("a commit in a linked worktree, whose data lies outside", async () => {
    await using place = await prepared(`${REPOSITORY}; git worktree add -q ../tree -b other`)
    const run = await inside(
      place,
      backend,
      join(place.root, "tree"),
      "echo b >b && git add b && git commit -qm second && git status --short && git log --oneline | wc -l"
    )
    expect(run).toMatchObject({ stdout: "2\n", exitCode: 0 })
  })

  test("a commit in a submodule, opened by itself", async () => {
    await using place = await prepared(
      `(${REPOSITORY}); git init -q -b main super; cd super; git submodule --quiet add ../repo sub; git commit -qm super`
    )
    const run = await inside(
      place,
      backend,
      join(place.root, "super/sub"),
      "echo b >b && git add b && git commit -qm second && git log --oneline | wc -l"
    )
    expect(run).toMatchObject({ stdout: "2\n", exitCode: 0 })
  })

  test("make, in a folder that is reached through a link and has a line break in its name", async () => {
    await using place = await newWorkspace()
    await mkdir(join(place.root, "odd\nname"))
    await place.write("odd\nname/Makefile", "all:\n\t@echo built >result && cat result\n")
    await symlink("odd\nname", join(place.root, "link"))
    expect(await inside(place, backend, join(place.root, "link"), "make -s")).toMatchObject({
      stdout: "built\n",
      exitCode: 0
    })
  })

  // Tool chains are those of whoever runs the tests; what is kept of runs is not.
  const everyday = async (place: Workspace, script: string) =>
    place.shell(`cd '${place.cwd}' && exec "$GEMINI" sandbox run -- bash -c '${script}'`, {
      env: { GEMINI_SANDBOX: backend, HOME: homedir(), GEMINI_CLI_HOME: place.home, PATH: process.env.PATH ?? "" }
    })

  testWith("npm")("npm ci with a dependency that builds itself, and npm test", async () => {
    await using place = await newWorkspace()
    const manifest = (more: object) => JSON.stringify({ name: "a", version: "1.0.0", ...more })
    const install = `node -e 'require("fs").writeFileSync("built","")'`
    await place.write("work/dep/package.json", manifest({ name: "dep", scripts: { install } }))
    const test = 'node -p \'require("fs").existsSync("node_modules/dep/built")\''
    const parts = { dependencies: { dep: "file:./dep" } }
    await place.write("work/package.json", manifest({ ...parts, scripts: { test } }))
    await place.write(
      "work/package-lock.json",
      manifest({
        lockfileVersion: 3,
        packages: {
          "": { name: "a", version: "1.0.0", ...parts },
          dep: { version: "1.0.0", hasInstallScript: true },
          "node_modules/dep": { resolved: "dep", link: true }
        }
      })
    )
    const run = await everyday(place, "npm ci --foreground-scripts && npm test --silent")
    expect([run.exitCode, run.stdout.trim().split("\n").at(-1)]).toEqual([0, "true"])
  })

  testWith("cargo")("cargo build, and what was built", async () => {
    await using place = await newWorkspace()
    await place.write("work/Cargo.toml", '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    await place.write("work/src/main.rs", 'fn main() { println!("built"); }\n')
    const run = await everyday(place, "cargo build --quiet && target/debug/a")
    expect(run).toMatchObject({ stdout: "built\n", exitCode: 0 })
  })

  testWith("pytest")("pytest", async () => {
    await using place = await newWorkspace()
    await place.write("work/test_a.py", 'def test_a(tmp_path):\n    (tmp_path / "x").write_text("1")\n')
    const run = await everyday(place, "pytest -q")
    expect(run).toMatchObject({ stdout: expect.stringContaining("1 passed"), exitCode: 0 })
  })

  test("programs of a folder of their own have what lies beside them, and no more", async () => {
    await using place = await newWorkspace()
    await place.write("tools/bin/greet", '#!/bin/sh\ncd "$(dirname "$0")/.." && . lib/greeting; cat private\n')
    await chmod(join(place.root, "tools/bin/greet"), 0o755)
    await place.write("tools/lib/greeting", "echo hello\n")
    await place.write("tools/private", "MARKER\n")
    const run = await place.shell('exec "$GEMINI" sandbox run -- greet', {
      env: { GEMINI_SANDBOX: backend, PATH: `${place.root}/tools/bin:${process.env.PATH ?? ""}` }
    })
    expect(run.stdout).toBe("hello\n")
  })

  test("ten thousand secrets are hidden", async () => {
    await using place = await newWorkspace()
    for (let index = 1; index <= 10_000; index++) {
      mkdirSync(join(place.root, `many/p${index}`), { recursive: true })
      writeFileSync(join(place.root, `many/p${index}/.env`), "SECRET\n")
    }
    const run = await inside(
      place,
      backend,
      join(place.root, "many"),
      "cat p*/.env 2>/dev/null | wc -l; ls | wc -l; echo x >p7/new; ls p7"
    )
    expect(run).toMatchObject({ stdout: "0\n10000\nnew\n", exitCode: 0 })
  })

  test("a folder without a repository gets none", async () => {
    await using place = await newWorkspace()
    expect(await inside(place, backend, place.cwd, "ls -A; git status 2>&1 | head -1")).toMatchObject({
      stdout: expect.stringMatching(/^fatal: not a git repository/)
    })
  })

  test("the exit code, standard input and a signal pass through", async () => {
    await using place = await newWorkspace()
    const run = await place.shell('echo hello | "$GEMINI" sandbox run -- sh -c "cat; exit 7"', {
      env: { GEMINI_SANDBOX: backend }
    })
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 7 })
  })

  test("nothing goes on when we are killed, wherever it went, and nothing when the command has ended", async () => {
    await using place = await newWorkspace()
    // Whoever reads from the pipe comes to its end when nobody is there any more who could write to it.
    const began = "exec 9>pipe; (setsid sleep 301 &); (sleep 302 &); echo began >&9"
    const run = await place.shell(
      `cd '${place.cwd}'; mkfifo pipe; cat pipe & "$GEMINI" sandbox run -- bash -c '${began}; exit 3'; echo "code $?"; wait
      "$GEMINI" sandbox run -- bash -c '${began}; sleep 303' & us=$!
      { read -r line; kill -9 $us; cat; echo "$line, over"; } <pipe`,
      { env: { GEMINI_SANDBOX: backend } }
    )
    expect(run.stdout.split("\n").toSorted().join(" ")).toBe(" began began, over code 3")
  })

  test("the whole machine is no workspace", async () => {
    await using place = await newWorkspace()
    const run = await inside(place, backend, "/", "echo ran")
    expect(run).toMatchObject({ stdout: "", exitCode: 44 })
    expect(run.stderr).toContain("the workspace is the whole machine")
  })

  test("keys stay hidden where the home folder is the workspace", async () => {
    await using place = await newWorkspace()
    await place.write("home/.ssh/id_rsa", "MARKER")
    await place.write("home/.bashrc", "true\n")
    const run = await inside(place, backend, place.home, "cat .ssh/id_rsa; ls .ssh; echo x >mine && cat mine")
    expect(run.stdout).not.toContain("MARKER")
    expect(await place.read("home/mine")).toBe("x\n")
  })

  test("what decides about the walls lies outside of what commands change, wherever temporary files are", async () => {
    await using place = await newWorkspace()
    await mkdir(join(place.cwd, "tmp"))
    const run = await place.shell(
      '"$GEMINI" sandbox run -- sh -c "echo began; find . /tmp -name \'gemini-sandbox-*\' -maxdepth 2 -exec ls {} +"',
      { env: { GEMINI_SANDBOX: backend, TMPDIR: join(place.cwd, "tmp") } }
    )
    expect(run.stdout.replace(/closed.*|tmp|[0-9a-f]{64}|\S*:/g, "").trim()).toBe("began")
    expect(await readdir(join(place.cwd, "tmp"))).toEqual([])
  })

  testAsRoot("root changes no modes, owners or times outside, not those of devices either", async () => {
    await using place = await prepared(
      "mkdir dev work/own; mknod -m 666 dev/null c 1 3; touch -d 2001-01-01 dev/file; chmod 640 dev/file"
    )
    const states = "stat -c '%a %u %Y' dev/*"
    const before = await place.shell(`cd ${place.root}; ${states}`)
    const tries = "for f in ../dev/*; do chmod 600 $f; chown 1:1 $f; touch -d 2002-02-02 $f; done 2>/dev/null"
    const run = await inside(
      place,
      backend,
      place.cwd,
      `${tries}; chmod 700 own; mv own new; stat -c %a new; cd new; pwd >/dev/null; echo x >x; rm x`
    )
    expect(run).toMatchObject({ stdout: "700\n", stderr: "", exitCode: 0 })
    expect((await place.shell(`cd ${place.root}; ${states}`)).stdout).toBe(before.stdout)
  })

  testAsRoot.each(ODD_MOUNTS)("a workspace that %s", async (_, prepare, script, seen) => {
    await using place = await newWorkspace()
    await place.write("work/old", "old\n")
    const run = await place.shell(
      `cd '${place.root}'; exec unshare -m sh -c '${prepare}; exec "$GEMINI" sandbox run -- sh -c "${script}"'`,
      { env: { GEMINI_SANDBOX: backend } }
    )
    expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual(seen)
  })

  testAsRoot.each([
    ["a machine without /proc", "cd work; umount -l /proc"],
    ["an empty /proc", "cd work; mount -t tmpfs none /proc"],
    ["a folder that was deleted", "mkdir gone; cd gone; rmdir ../gone"]
  ])("in %s nothing runs", async (_, prepare) => {
    await using place = await newWorkspace()
    const run = await place.shell(
      `cd '${place.root}'; ulimit -c 0; unshare -m sh -c '${prepare}; "$GEMINI" sandbox run -- touch ${place.cwd}/ran; echo $?'`,
      { env: { GEMINI_SANDBOX: backend } }
    )
    expect(Number(run.stdout)).toBeGreaterThan(0)
    expect(run.stderr).not.toBe("")
    expect(await readdir(place.cwd)).toEqual([])
  })

  test("a sandbox inside of a sandbox is the outer one", async () => {
    await using place = await newWorkspace()
    const again = "gemini sandbox run -- sh -c"
    const run = await place.shell(
      `mkdir ../bin; ln "$GEMINI" ../bin/gemini || cp "$GEMINI" ../bin/gemini; PATH=${place.root}/bin:$PATH
      exec ${again} '${again} "echo x >../out; echo \\$SANDBOX; echo x >made"; echo $?'`,
      { env: { GEMINI_SANDBOX: backend } }
    )
    expect([run.stdout, run.exitCode]).toEqual([`${backend}\n0\n`, 0])
    expect(await readdir(place.root)).not.toContain("out")
    expect(await readdir(place.cwd)).toEqual(["made"])
  })

  test("what runs unasked writes nothing", async () => {
    await using place = await newWorkspace()
    const run = await place.shell('"$GEMINI" sandbox run --read-only -- sh -c "echo x >made; ls"', {
      env: { GEMINI_SANDBOX: backend }
    })
    expect(run.stdout).toBe("")
  })
})

describe("a wall that fails", () => {
  const broken = async () => {
    const place = await newWorkspace()
    await place.write("bin/bwrap", '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n')
    await chmod(join(place.root, "bin/bwrap"), 0o755)
    const env = { PATH: `${join(place.root, "bin")}:${process.env.PATH ?? ""}` }
    return { place, env, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
  }

  test("is told, with what to do, and nothing runs", async () => {
    await using setting = await broken()
    const run = await setting.place.run(["sandbox", "run", "--", "echo", "ran"], {
      env: { ...setting.env, GEMINI_SANDBOX: "bwrap" }
    })
    expect(run).toMatchObject({ stdout: "", exitCode: 44 })
    expect(run.stderr).toContain("setting up uid map: Permission denied")
    expect(run.stderr).toContain("apt install bubblewrap")
  })

  test("makes room for the next one where any will do", async () => {
    await using setting = await broken()
    const run = await setting.place.run(["sandbox", "run", "--", "sh", "-c", "echo $SANDBOX"], {
      env: { ...setting.env, GEMINI_SANDBOX: "true" }
    })
    expect(run).toMatchObject({ stdout: "landlock\n", exitCode: 0 })
  })
})

test("a real path is what the report names", async () => {
  await using place = await newWorkspace()
  const run = await place.run(["sandbox", "check", "--json"])
  expect(JSON.parse(run.stdout)).toMatchObject({
    holds: true,
    sandbox: { network: "off", writable: [await realpath(place.cwd)] }
  })
})
