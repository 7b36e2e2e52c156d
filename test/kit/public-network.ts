/**
 * A network in which a public address is this machine: a namespace of its own, with that address on its loopback. Only
 * so can pages be fetched in a test, since everything that is not public is refused.
 *
 * The file is started again inside the namespace, where web server, scripted model and binary then run.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { startNameServer } from "./name-server.ts"
import { answer, finish, say } from "./replies.ts"
import { newWorkspace } from "./run-gemini.ts"
import { callTools, inTurns, tool } from "./tool-run.ts"

const ADDRESS = "93.184.216.34"

const Report = Schema.parseJson(
  Schema.Struct({
    answers: Schema.Array(
      Schema.Struct({
        status: Schema.String,
        output: Schema.optional(Schema.String),
        error: Schema.optional(Schema.String),
        type: Schema.optional(Schema.String),
        media: Schema.Array(Schema.Unknown)
      })
    ),
    /** What the utility models were asked, as JSON. */
    asked: Schema.Array(Schema.String),
    /** Paths that were fetched from the public server. */
    fetched: Schema.Array(Schema.String),
    /** By which name the public server was asked for each. */
    hosts: Schema.Array(Schema.String),
    /** Whether a server on the loopback, which is not public, was reached. */
    reachedPrivate: Schema.Boolean,
    /** Names that were looked up, in order. */
    lookedUp: Schema.Array(Schema.String),
    denials: Schema.Array(Schema.Unknown)
  })
)
export type Report = typeof Report.Type

const Order = Schema.Struct({
  calls: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.String })),
  settings: Schema.String,
  /** Flags beside it; in place of those that allow everything. */
  args: Schema.optional(Schema.Array(Schema.String)),
  prompt: Schema.optional(Schema.String),
  /** Addresses of names, for each time that they are looked up; `PUBLIC` stands for that of the public server. */
  names: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.Array(Schema.String)) }))
})

/** User namespaces are switched off in some containers. */
export const hasOwnNetwork = (): boolean =>
  process.platform === "linux" &&
  Bun.which("ip") !== null &&
  Bun.spawnSync(["unshare", "-rnm", "ip", "link", "set", "lo", "up"]).exitCode === 0

/** Arguments of `web_fetch` calls; `URL` in them stands for the public server, `PRIVATE` for one on the loopback. */
export const fetchInOwnNetwork = async (order: typeof Order.Type): Promise<Report> => {
  const names = join(mkdtempSync(join(tmpdir(), "names-")), "resolv.conf")
  writeFileSync(names, "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n")
  const script = `ip link set lo up && ip addr add ${ADDRESS}/32 dev lo && mount --bind ${names} /etc/resolv.conf && exec "$0" "$@"`
  const child = Bun.spawn(
    ["unshare", "-rnm", "sh", "-c", script, process.execPath, import.meta.path, JSON.stringify(order)],
    { stdout: "pipe", stderr: "pipe" }
  )
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`the run in its own network failed: ${errors}`)
  return Schema.decodeSync(Report)(output)
}

const PAGES: Readonly<Record<string, () => Response>> = {
  "/page": () =>
    new Response("<html><head><style>b{}</style></head><body><h1>Title</h1><p>Hello &amp; welcome</p></body></html>", {
      headers: { "content-type": "text/html" }
    }),
  "/data.json": () => Response.json({ answer: 42 }),
  "/missing": () => new Response("gone", { status: 404 }),
  "/moved": () => Response.redirect("/page"),
  "/inward": () => Response.redirect("http://127.0.0.1:8081/secret"),
  "/by-name": () => Response.redirect("http://inside.example.com/secret"),
  "/out": () => Response.redirect("http://other.example.com/page?stolen"),
  "/huge": () => new Response("x".repeat(11 * 1024 * 1024))
}

const inside = async (order: typeof Order.Type): Promise<Report> => {
  const fetched: Array<string> = []
  const hosts: Array<string> = []
  let reachedPrivate = false
  const isPublic = (address: string) => (address === "PUBLIC" ? ADDRESS : address)
  using names = await startNameServer(
    Object.fromEntries(
      Object.entries(order.names ?? {}).map(([name, turns]) => [name, turns.map((turn) => turn.map(isPublic))])
    )
  )
  const open = Bun.serve({
    hostname: ADDRESS,
    port: 80,
    fetch: (request) => {
      const { hostname, pathname } = new URL(request.url)
      fetched.push(pathname)
      hosts.push(hostname)
      return PAGES[pathname]?.() ?? new Response("no such page", { status: 404 })
    }
  })
  const closed = [80, 8081].map((port) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      fetch: () => {
        reachedPrivate = true
        return new Response("SECRET")
      }
    })
  )
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", order.settings)
  const calls = order.calls.map((args) =>
    tool(
      "web_fetch",
      Object.fromEntries(
        Object.entries(args).map(([key, value]) => [
          key,
          value.replaceAll("URL", `http://${ADDRESS}`).replaceAll("PRIVATE", "http://127.0.0.1:8081")
        ])
      )
    )
  )
  const run = await callTools(place, inTurns(...calls), {
    args: order.args ?? ["--yolo"],
    prompt: order.prompt?.replaceAll("URL", `http://${ADDRESS}`) ?? "go",
    // A model that can open no page itself: the pages have to be fetched from here.
    utility: ({ body }) =>
      JSON.stringify(body).includes("urlContext") ? answer([finish("STOP")]) : say("what the pages say")
  })
  await Promise.all([open, ...closed].map((server) => server.stop(true)))
  return {
    answers: run.answers.map(({ error, media, output, status, type }) => ({ error, media, output, status, type })),
    asked: run.utilityBodies.map((body) => JSON.stringify(body)),
    fetched,
    hosts,
    reachedPrivate,
    lookedUp: names.asked,
    denials: (run.end.permission_denials as ReadonlyArray<unknown> | undefined) ?? []
  }
}

if (import.meta.main) {
  const order = Schema.decodeUnknownSync(Schema.parseJson(Order))(process.argv[2])
  process.stdout.write(JSON.stringify(await inside(order)))
}
