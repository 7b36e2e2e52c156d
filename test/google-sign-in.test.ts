/** Signing in with a Google account: in a browser, with a code, and everything that can go wrong on the way. */
import { describe, expect, test } from "bun:test"
import { chmod, rm } from "node:fs/promises"
import { join } from "node:path"
import { expectFailure } from "./kit/expectations.ts"
import { EMAIL, type Google, type GoogleOptions, startGoogle, status } from "./kit/google.ts"
import { untilHolds } from "./kit/processes.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const google = (options: GoogleOptions = {}) => startGoogle({ says: [say("hello")], ...options })
const CREDENTIALS = "home/.gemini/oauth_creds.json"
const isKept = (place: Workspace) => Bun.file(join(place.root, CREDENTIALS)).exists()

/** A browser that runs this, with the page as `page`; by default it follows it to its end, as a person who agrees would. */
const withBrowser = async (place: Workspace, server: Google, script = "fetch(page)") => {
  const file = await place.write(
    "bin/xdg-open",
    `#!/bin/sh\nexec node -e 'const page = process.argv[1]; ${script}' "$1"\n`
  )
  await chmod(file, 0o755)
  const { GOOGLE_GENAI_USE_GCA: _, ...env } = server.env
  return { ...env, DISPLAY: ":0", PATH: `${place.root}/bin:${process.env.PATH}` }
}

const pageIn = (screen: string): string => /https?:\/\/\S+\/o\/oauth2\/v2\/auth\S+/.exec(screen)?.[0] ?? ""

describe("in the browser", () => {
  test("asks, opens the page, keeps the sign-in, and the next run uses it", async () => {
    using server = google()
    await using place = await newWorkspace()
    const env = await withBrowser(place, server)
    const terminal = startInTerminal(place, ["auth", "login"], { env, columns: 2000 })
    await terminal.shows("Do you want to continue")
    terminal.type("\r")
    await terminal.shows(`Signed in as ${EMAIL}`)
    await terminal.shows("Gemini Code Assist, project project-of-the-server")
    expect(await terminal.exitCode).toBe(0)
    expect(terminal.plain()).not.toContain("canary")
    const page = new URL(pageIn(terminal.plain()))
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      client_id: "client-of-the-tests",
      response_type: "code",
      access_type: "offline",
      code_challenge_method: "S256",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/oauth2callback$/),
      state: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    expect(JSON.parse(await place.read(CREDENTIALS))).toMatchObject({ refresh_token: "1//canary-refresh-new" })
    expect(JSON.parse(await place.read("home/.gemini/google_accounts.json"))).toEqual({ active: EMAIL, old: [] })
    expect(await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { env })).toMatchObject({ stdout: "hello\n" })
  })

  test("no: nothing is opened or kept, exit 41", async () => {
    using server = google()
    await using place = await newWorkspace()
    const terminal = startInTerminal(place, ["auth", "login"], { env: await withBrowser(place, server) })
    await terminal.shows("Do you want to continue")
    terminal.type("n\r")
    expect(await terminal.exitCode).toBe(41)
    expect(server.requests).toEqual([])
    expect(await isKept(place)).toBe(false)
  })

  test("strangers, favicons and a second answer change nothing", async () => {
    using server = google()
    await using place = await newWorkspace()
    const script = `
      const back = new URL(new URL(page).searchParams.get("redirect_uri"))
      const run = async () => {
        const seen = []
        for (const path of ["/favicon.ico", back.pathname + "?code=x&state=guess", back.pathname + "?error=no"]) {
          seen.push((await fetch(new URL(path, back))).status)
        }
        const end = (await fetch(page, { redirect: "manual" })).headers.get("location")
        // One of the two may come when nobody listens any more.
        const answers = await Promise.allSettled([fetch(end, { redirect: "manual" }), fetch(end, { redirect: "manual" })])
        seen.push(answers.flatMap(({ value }) => value?.headers.get("location") ?? []).at(0))
        require("node:fs").writeFileSync(process.env.HOME + "/seen", JSON.stringify(seen))
      }
      run()`
    const terminal = startInTerminal(place, ["auth", "login"], { env: await withBrowser(place, server, script) })
    await terminal.shows("Do you want to continue")
    terminal.type("y\r")
    await terminal.shows("does not belong to this sign-in")
    expect(await terminal.exitCode).toBe(0)
    // Nobody waits for a browser.
    await untilHolds(join(place.root, "home/seen"), "]")
    expect(JSON.parse(await place.read("home/seen"))).toEqual([
      404,
      400,
      400,
      "https://developers.google.com/gemini-code-assist/auth_success_gemini"
    ])
    expect(server.named("/token").length).toBe(1)
  })

  test("refused on the page: the reason, exit 41, no token asked for", async () => {
    using server = google()
    await using place = await newWorkspace()
    const script = `
      const { searchParams } = new URL(page)
      const back = new URL(searchParams.get("redirect_uri"))
      back.search = new URLSearchParams({ error: "access_denied", state: searchParams.get("state") })
      fetch(back, { redirect: "manual" })`
    const terminal = startInTerminal(place, ["auth", "login"], { env: await withBrowser(place, server, script) })
    await terminal.shows("Do you want to continue")
    terminal.type("\r")
    await terminal.shows("access_denied")
    expect(await terminal.exitCode).toBe(41)
    expect(server.named("/token")).toEqual([])
  })

  test("Ctrl-C while it waits: 130, nothing kept", async () => {
    using server = google()
    await using place = await newWorkspace()
    const terminal = startInTerminal(place, ["auth", "login"], { env: await withBrowser(place, server, "0") })
    await terminal.shows("Do you want to continue")
    terminal.type("\r")
    await terminal.shows("Waiting for the browser")
    terminal.type("\u0003")
    expect(await terminal.exitCode).toBe(130)
    expect(await isKept(place)).toBe(false)
  })

  test("OAUTH_CALLBACK_PORT is used; one that is taken, or none, is said", async () => {
    using server = google()
    await using place = await newWorkspace()
    const env = await withBrowser(place, server)
    using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") })
    for (const [port, words] of [
      [String(taken.port), "no listener on port"],
      ["seventy", "OAUTH_CALLBACK_PORT is no port"]
    ] as const) {
      const terminal = startInTerminal(place, ["auth", "login"], { env: { ...env, OAUTH_CALLBACK_PORT: port } })
      await terminal.shows("Do you want to continue")
      terminal.type("\r")
      await terminal.shows(words)
      expect(await terminal.exitCode).toBe(41)
    }
  })
})

describe("with a code", () => {
  const signs: ReadonlyArray<Record<string, string | undefined>> = [
    { NO_BROWSER: "" },
    { CI: "1" },
    { BROWSER: "www-browser" },
    { DEBIAN_FRONTEND: "noninteractive" },
    { DISPLAY: undefined }
  ]
  for (const sign of signs) {
    test(`${JSON.stringify(sign)} opens no browser`, async () => {
      using server = google()
      await using place = await newWorkspace()
      const env = { ...(await withBrowser(place, server, 'fetch(page + "&opened=1")')), ...sign }
      const terminal = startInTerminal(place, ["auth", "login"], { env, columns: 2000 })
      await terminal.shows("authorization code")
      const back = new URL(await server.agree(pageIn(terminal.plain())))
      expect(back.href).toStartWith("https://codeassist.google.com/authcode?")
      terminal.type(`${back.searchParams.get("code")}\r`)
      await terminal.shows(`Signed in as ${EMAIL}`)
      expect(await terminal.exitCode).toBe(0)
      expect(server.named("/o/oauth2/v2/auth").length).toBe(1)
    })
  }

  test("a wrong code: a second page, then exit 41", async () => {
    using server = google()
    await using place = await newWorkspace()
    const env = { ...(await withBrowser(place, server)), NO_BROWSER: "1" }
    const terminal = startInTerminal(place, ["auth", "login"], { env })
    await terminal.shows("authorization code")
    terminal.type("wrong\r")
    await terminal.showsNext("authorization code")
    terminal.type("wrong\r")
    await terminal.shows("not accepted")
    expect(await terminal.exitCode).toBe(41)
    expect(await isKept(place)).toBe(false)
  })

  test("Ctrl-C at the question: 130", async () => {
    using server = google()
    await using place = await newWorkspace()
    const terminal = startInTerminal(place, ["auth", "login"], {
      env: { ...(await withBrowser(place, server)), NO_BROWSER: "1" }
    })
    await terminal.shows("authorization code")
    terminal.type("\u0003")
    expect(await terminal.exitCode).toBe(130)
  })

  test("no terminal: exit 41, nothing asked", async () => {
    using server = google()
    await using place = await newWorkspace()
    expectFailure(await place.run(["auth", "login"], { env: server.env }), 41, "terminal", "GEMINI_API_KEY")
    expect(server.requests).toEqual([])
  })

  test("no OAuth client: exit 41 says what to set", async () => {
    await using place = await newWorkspace()
    const terminal = startInTerminal(place, ["auth", "login"], { columns: 2000 })
    await terminal.shows("GEMINI_OAUTH_CLIENT_ID")
    expect(await terminal.exitCode).toBe(41)
  })
})

describe("status, token and logout", () => {
  test("say who, until when, for which project, and where it is kept", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn({ expiry_date: 4_102_444_800_000 }))
    await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { env: server.env })
    const before = server.requests.length
    const result = await place.run(["auth", "status", "--json"], { env: server.env })
    expect(JSON.parse(result.stdout)).toEqual({
      method: "oauth-personal",
      account: EMAIL,
      expires: "2100-01-01T00:00:00.000Z",
      project: "project-of-the-server",
      tier: "standard-tier",
      kept: join(place.home, ".gemini/oauth_creds.json")
    })
    expect(server.requests.length).toBe(before)
    expect((await place.run(["auth", "status"], { env: server.env })).stdout).toContain(`account:  ${EMAIL}`)
  })

  test("nothing configured: exit 41", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["auth", "status", "--json"])
    expect(result.exitCode).toBe(41)
    expect(JSON.parse(result.stdout)).toMatchObject({ method: null, advice: expect.stringContaining("GEMINI_API_KEY") })
  })

  test("a key is a method too, and is not shown", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["auth", "status", "--json"], { env: { GEMINI_API_KEY: "canary-key" } })
    expect(JSON.parse(result.stdout)).toMatchObject({ method: "gemini-api-key", kept: "GEMINI_API_KEY" })
    expect(result.stdout).not.toContain("canary")
  })

  test("a token is printed with --yes, not into a pipe by accident", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn({ expiry_date: 0 }))
    expectFailure(await place.run(["auth", "token"], { env: server.env }), 1, "--yes")
    expect(await place.run(["auth", "token", "--yes"], { env: server.env })).toMatchObject({
      stdout: "ya29.canary-access-2\n",
      exitCode: 0
    })
  })

  test("logout forgets the file and the choice, and asks nobody", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    await place.write("home/.gemini/google_accounts.json", JSON.stringify({ active: EMAIL, old: ["o@example.com"] }))
    await place.write("home/.gemini/settings.json", '{ "security": { "auth": { "selectedType": "oauth-personal" } } }')
    expect(await place.run(["auth", "logout"], { env: server.env })).toMatchObject({
      stdout: "Signed out.\n",
      exitCode: 0
    })
    expect(await isKept(place)).toBe(false)
    expect(JSON.parse(await place.read("home/.gemini/google_accounts.json"))).toEqual({
      active: null,
      old: ["o@example.com", EMAIL]
    })
    expect(await place.read("home/.gemini/settings.json")).not.toContain("oauth-personal")
    expect(server.requests).toEqual([])
    expect((await place.run(["auth", "logout"], { env: server.env })).stdout).toContain("Nobody")
  })

  test("logout under a folder that cannot be written: said of a sign-in, and no fault where there is none", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const fixed = 'chmod 711 "$HOME" && chmod 755 "$HOME/.gemini" && chmod 644 "$HOME"/.gemini/*; unset GEMINI_API_KEY'
    const asked = place.unprivileged(fixed, '"$GEMINI" auth logout')
    const failed = await place.shell(asked, { env: server.env })
    const file = join(place.home, ".gemini/oauth_creds.json")
    expect(failed).toMatchObject({ stdout: "", exitCode: 41 })
    expect(failed.stderr).toContain(`the sign-in cannot be forgotten: ${file} cannot be removed (EACCES)`)
    await rm(file)
    expect((await place.shell(asked, { env: server.env })).stdout).toBe("Nobody was signed in with Google.\n")
  })

  test("a sign-in in the encrypted file: moved there, used, renewed and forgotten", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn({ expiry_date: 0 }))
    const env = { ...server.env, GEMINI_FORCE_ENCRYPTED_FILE_STORAGE: "true", GEMINI_FORCE_FILE_STORAGE: "true" }
    expect(await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { env })).toMatchObject({ stdout: "hello\n" })
    expect(await isKept(place)).toBe(false)
    expect(await place.read("home/.gemini/gemini-credentials.json")).toMatch(/^[0-9a-f]+:[0-9a-f]+:[0-9a-f]+$/)
    expect((await place.run(["auth", "logout"], { env })).stdout).toBe("Signed out.\n")
    expect(await Bun.file(join(place.home, ".gemini/gemini-credentials.json")).exists()).toBe(false)
  })

  test("who it is does not matter to the sign-in", async () => {
    using server = google({ answers: { "/oauth2/v2/userinfo": () => status(500) } })
    await using place = await newWorkspace()
    const terminal = startInTerminal(place, ["auth", "login"], { env: await withBrowser(place, server) })
    await terminal.shows("Do you want to continue")
    terminal.type("\r")
    await terminal.shows("Signed in.")
    expect(await terminal.exitCode).toBe(0)
  })
})

describe("in a conversation", () => {
  const READY = "Type your message"

  test("nobody is signed in: the menu, a sign-in, and the conversation goes on", async () => {
    using server = google()
    await using place = await newWorkspace()
    const env = { ...(await withBrowser(place, server)), GOOGLE_GENAI_USE_GCA: "true" }
    const terminal = startInTerminal(place, ["-m", "gemini-2.5-pro"], { env, columns: 200 })
    await terminal.shows("How would you like to authenticate")
    expect(terminal.plain()).toContain("nobody is signed in with Google here")
    terminal.type("Sign in with Google\r")
    await terminal.shows("Do you want to continue")
    terminal.type("\r")
    await terminal.shows(`Signed in as ${EMAIL}`)
    await terminal.shows(READY)
    terminal.type("hi\r")
    await terminal.shows("hello")
    terminal.type("/auth signout\r")
    await terminal.shows("signed out")
    await terminal.showsNext("How would you like to authenticate")
    expect(await isKept(place)).toBe(false)
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
  })

  test("a wish for a type that there is not is said; the next way in use is marked", async () => {
    await using place = await newWorkspace()
    const env = { GEMINI_API_KEY: "k", GEMINI_DEFAULT_AUTH_TYPE: "magic" }
    const terminal = startInTerminal(place, [], { env, columns: 200 })
    await terminal.shows(READY)
    terminal.type("/auth\r")
    await terminal.shows("? 1-5 (Enter: 2)")
    expect(terminal.plain()).toContain('GEMINI_DEFAULT_AUTH_TYPE is "magic", which is no authentication type')
    expect(terminal.plain()).toContain("2. Use Gemini API Key  (in use)")
    terminal.type("5\r")
    await terminal.showsNext("> ")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
  })

  test("an account that has to be verified: the page, then once more", async () => {
    let isVerified = false
    using server = google({
      answers: {
        loadCodeAssist: () =>
          isVerified
            ? { currentTier: { id: "standard-tier" }, cloudaicompanionProject: "p" }
            : {
                ineligibleTiers: [
                  {
                    reasonCode: "VALIDATION_REQUIRED",
                    reasonMessage: "Verify it.",
                    validationUrl: "https://example.com/verify"
                  }
                ]
              }
      }
    })
    await using place = await newWorkspace()
    await place.write(CREDENTIALS, server.signedIn())
    const env = {
      ...(await withBrowser(place, server, 'require("node:fs").writeFileSync(process.env.HOME + "/opened", page)')),
      GOOGLE_GENAI_USE_GCA: "true"
    }
    const terminal = startInTerminal(place, ["-m", "gemini-2.5-pro"], { env, columns: 200 })
    await terminal.shows("has to be verified")
    await terminal.shows("? 1-7")
    terminal.type("5\r")
    await terminal.showsNext("? 1-7")
    isVerified = true
    terminal.type("6\r")
    await terminal.shows(READY)
    await untilHolds(join(place.root, "home/opened"), "verify")
    expect(await place.read("home/opened")).toBe("https://example.com/verify")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
  })

  test("an enforced type is the only one that is offered", async () => {
    using server = google()
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "security": { "auth": { "enforcedType": "oauth-personal" } } }')
    const { GOOGLE_GENAI_USE_GCA: _, ...env } = server.env
    const terminal = startInTerminal(place, [], { env: { ...env, GEMINI_API_KEY: "k" }, columns: 200 })
    await terminal.shows("is enforced")
    await terminal.shows("? 1-2")
    terminal.type("\u0003")
    expect(await terminal.exitCode).toBe(41)
  })
})

const keyring = ["dbus-run-session", "gnome-keyring-daemon"].every((program) => Bun.which(program) !== null)

describe.skipIf(!keyring)(
  "a key store of the system (left out where dbus-run-session or gnome-keyring is missing)",
  () => {
    /** Commands one after the other in a session with a key store of its own. */
    const inSession = (
      place: Workspace,
      env: Record<string, string>,
      unlock: string,
      ...commands: ReadonlyArray<string>
    ) => {
      const script = [`${unlock} > "$HOME/daemon.txt" 2>&1`, ...commands].join("; echo; echo ---; ")
      return place.shell(
        `export XDG_RUNTIME_DIR="$HOME" XDG_DATA_HOME="$HOME/data"; dbus-run-session -- bash -c '${script}'`,
        {
          env: { ...env, GEMINI_FORCE_ENCRYPTED_FILE_STORAGE: "true" }
        }
      )
    }
    const UNLOCKED = "printf x | gnome-keyring-daemon --unlock --components=secrets"

    test("keeps the sign-in: moved from the file, used, said, renewed, and forgotten", async () => {
      using server = google()
      await using place = await newWorkspace()
      await place.write(CREDENTIALS, server.signedIn({ expiry_date: 0 }))
      const run = '"$GEMINI" -p hi -m gemini-2.5-pro'
      const status = '"$GEMINI" auth status --json'
      const { stderr, stdout } = await inSession(
        place,
        server.env,
        UNLOCKED,
        run,
        status,
        run,
        '"$GEMINI" auth logout',
        status
      )
      const [, first, kept = "", second, out, none = ""] = stdout.split("---\n").map((text) => text.trim())
      expect([first, second, out], stderr).toEqual(["hello", "hello", "Signed out."])
      expect(JSON.parse(kept)).toMatchObject({ method: "oauth-personal", kept: "the key store of the system" })
      expect(JSON.parse(none)).toMatchObject({ method: null })
      expect(server.named("/token").length).toBe(1)
      expect(await isKept(place)).toBe(false)
      expect(await Bun.file(join(place.home, ".gemini/gemini-credentials.json")).exists()).toBe(false)
    })

    test("that stays locked holds nobody: the encrypted file serves in its place", async () => {
      using server = google()
      await using place = await newWorkspace()
      await place.write(CREDENTIALS, server.signedIn())
      const locked = "gnome-keyring-daemon --start --components=secrets"
      const { stdout } = await inSession(
        place,
        server.env,
        locked,
        '"$GEMINI" -p hi -m gemini-2.5-pro',
        '"$GEMINI" auth status'
      )
      expect(stdout).toContain("hello")
      expect(stdout).toContain("gemini-credentials.json")
    })
  }
)
