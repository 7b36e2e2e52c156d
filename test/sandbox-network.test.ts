/** The network for a list of domains: what gets through, what does not whatever the way, and who is told. */
import { describe, expect, test } from "bun:test"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const MARKER = "answered-from-outside"

/** Two servers of this machine: one that is allowed, one that is not. */
const servers = () => {
  const closed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(`${MARKER}-closed`) })
  const open = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      new URL(request.url).pathname === "/away"
        ? Response.redirect(`http://localhost:${closed.port}/`)
        : new Response(`${MARKER} ${new URL(request.url).pathname} ${await request.text()}`)
  })
  return {
    open: open.port ?? 0,
    closed: closed.port ?? 0,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([open.stop(true), closed.stop(true)])
    }
  }
}

const allow = (place: Workspace, ...domains: ReadonlyArray<string>) =>
  place.write("home/.gemini/settings.json", JSON.stringify({ tools: { sandboxAllowedDomains: domains } }))

const inside = (place: Workspace, script: string, backend = "bwrap") =>
  place.run(["sandbox", "run", "--", "bash", "-c", script], { env: { GEMINI_SANDBOX: backend } })

describe("a list of domains", () => {
  test("lets programs through to them, by proxy variables and by SOCKS", async () => {
    await using place = await newWorkspace()
    await using at = servers()
    await allow(place, `localhost:${at.open}`)
    const url = `http://localhost:${at.open}`
    const run = await inside(
      place,
      `curl -sS ${url}/a; curl -sS -d body ${url}/post; curl -sS -x socks5h://127.0.0.1:3128 ${url}/b; curl -sSp ${url}/tunnel; curl -sS ${url.toUpperCase().replace("HTTP", "http")}/case; exit 5`
    )
    expect(run.stdout).toBe(
      [`/a `, `/post body`, `/b `, `/tunnel `, `/case `].map((answer) => `${MARKER} ${answer}`).join("")
    )
    expect(run.exitCode).toBe(5)
  })

  test("lets nothing else through", async () => {
    await using place = await newWorkspace()
    await using at = servers()
    await allow(place, `localhost:${at.open}`, "example.com")
    const run = await inside(
      place,
      [
        `curl -sS localhost:${at.closed}`,
        `curl -sS -L localhost:${at.open}/away`,
        `curl -sSp localhost:${at.closed}`,
        `curl -sS --noproxy '*' 127.0.0.1:${at.closed}`,
        `curl -sS -x http://127.0.0.1:3128 --noproxy '' 127.0.0.1:${at.open}`,
        `curl -sS -x http://127.0.0.1:3128 --noproxy '' http://2130706433:${at.open}`,
        `curl -sS -x socks5h://127.0.0.1:3128 --noproxy '' 127.0.0.1:${at.open}`,
        `curl -sS -x socks5://127.0.0.1:3128 --noproxy '' 127.0.0.1:${at.closed}`,
        `curl -g -sS -x http://127.0.0.1:3128 --noproxy '' 'http://[::1]:${at.open}'`,
        `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT localhost\\0.example.com:${at.closed} HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3`,
        `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://localhost:${at.open}/ HTTP/1.1\\r\\nHost: x\\n\\nGET http://localhost:${at.closed}/ HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3`,
        `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET / HTTP/1.1\\r\\nHost: localhost:${at.open}\\r\\n\\r\\n' >&3; cat <&3`,
        `exec 3<>/dev/tcp/127.0.0.1/${at.closed}; cat <&3`
      ]
        .map((command) => `(${command})`)
        .join("; ")
    )
    expect(run.stdout).not.toContain(MARKER)
    expect(run.stderr).toContain(`the sandbox refused a connection to localhost:${at.closed}`)
  })

  test("takes one request of a connection, whatever follows it, and hands bodies on", async () => {
    await using place = await newWorkspace()
    await using at = servers()
    await allow(place, `localhost:${at.open}`)
    const say = (head: string, body: string) =>
      `(exec 3<>/dev/tcp/127.0.0.1/3128; printf '${head.replaceAll("\n", "\\r\\n")}\\r\\n\\r\\n${body}' >&3; cat <&3)`
    const second = `GET http://localhost:${at.open}/second HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n`
    const run = await inside(
      place,
      [
        say(`GET http://localhost:${at.open}/one HTTP/1.1`, second),
        say(`POST http://localhost:${at.open}/two HTTP/1.1\nContent-Length: 4`, `body${second}`),
        say(
          `POST http://localhost:${at.open}/three HTTP/1.1\nTransfer-Encoding: chunked`,
          `3\\r\\nabc\\r\\n0\\r\\n\\r\\n${second}`
        ),
        `head -c 3000000 /dev/zero | tr '\\0' x | curl -sS -T - http://localhost:${at.open}/large | wc -c`
      ].join("; ")
    )
    expect(run.stdout.match(/ \/[a-z]+ (?:body|abc)?/g)).toEqual([" /one ", " /two body", " /three abc"])
    expect(run.stdout).toEndWith(`${`${MARKER} /large `.length + 3_000_000}\n`)
  })

  test("is told to the model and to the person when it refuses", async () => {
    await using place = await newWorkspace()
    await allow(place, "example.com")
    const { answers, events, result } = await callTools(
      place,
      inTurns(
        tool("run_shell_command", { command: "curl -sS https://evil.example/; curl -sS http://sub.example.com/" })
      ),
      { args: ["--sandbox=bwrap", "--yolo"] }
    )
    expect(answers[0]?.output).toContain("did not let this command connect to evil.example:443, sub.example.com:80")
    expect(answers[0]?.output).toContain("tools.sandboxAllowedDomains")
    expect(result.stderr).toContain("the sandbox refused a connection to evil.example:443")
    expect(events[0]).toMatchObject({ sandbox: { network: "domains", domains: ["example.com"] } })
  })

  test("is no network at all for what runs unasked, and in Landlock, which says so", async () => {
    await using place = await newWorkspace()
    await using at = servers()
    await allow(place, `localhost:${at.open}`)
    const reading = await place.run(["sandbox", "run", "--read-only", "--", "curl", "-sS", `localhost:${at.open}`], {
      env: { GEMINI_SANDBOX: "bwrap" }
    })
    expect(reading.stdout).not.toContain(MARKER)
    expect((await inside(place, `curl -sS localhost:${at.open}`, "landlock")).stdout).not.toContain(MARKER)
    const check = await place.run(["sandbox", "check", "--json"], { env: { GEMINI_SANDBOX: "landlock" } })
    expect(JSON.parse(check.stdout)).toMatchObject({
      sandbox: { network: "off", gaps: expect.arrayContaining([expect.stringContaining("sandboxAllowedDomains")]) }
    })
  })

  test("leaves programs inside to talk to each other", async () => {
    await using place = await newWorkspace()
    await allow(place, "example.com")
    const run = await inside(
      place,
      `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1:8000"); while ($c = $s->accept) { do { $line = <$c> } until $line =~ /^\\s*$/; print $c "HTTP/1.0 200 OK\\r\\n\\r\\nup\\n"; close $c }' & for i in $(seq 50); do curl -fsS localhost:8000 2>/dev/null && break; sleep 0.1; done; kill %1`
    )
    expect(run.stdout).toBe("up\n")
  })
})
