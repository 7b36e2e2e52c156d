/** Connections: nobody listening, unknown hosts, proxies that help and proxies that refuse. */
import { describe, expect, test } from "bun:test"
import { canMakeCertificates, makeCertificate } from "./kit/certificate.ts"
import { expectFailure } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { startProxy } from "./kit/proxy-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const ONE_ATTEMPT = '{"general": {"maxAttempts": 1}}'

describe.concurrent("no way to the model", () => {
  test("nobody listens: the address is named", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", ONE_ATTEMPT)
    const result = await place.run(["-p", "hi"], { server: { url: "http://127.0.0.1:9" } })
    expectFailure(result, 1, "127.0.0.1:9")
  })

  test("a host that does not exist: it is named", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", ONE_ATTEMPT)
    const result = await place.run(["-p", "hi"], { server: { url: "http://no-such-host.invalid" } })
    expectFailure(result, 1, "no-such-host.invalid")
  })

  test("a base URL that is none: the variable is named, nothing is sent", async () => {
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server: { url: "not a url" } })
    expectFailure(result, result.exitCode, "GOOGLE_GEMINI_BASE_URL")
    expect([41, 42, 52]).toContain(result.exitCode)
  })

  test("TLS where the server speaks plain HTTP", async () => {
    await using server = await startModelServer([say("x")])
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", ONE_ATTEMPT)
    expectFailure(await place.run(["-p", "hi"], { server: { url: server.url.replace("http:", "https:") } }), 1)
  })
})

describe("proxies", () => {
  test.each(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"])("%s is used", async (name) => {
    await using server = await startModelServer([say("through")])
    await using proxy = await startProxy()
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "flash"], { server, env: { [name]: proxy.url } })
    expect(result).toMatchObject({ stdout: "through\n", exitCode: 0 })
    expect(proxy.asked).toHaveLength(1)
  })

  test("user name and password of the proxy's address are sent to it, and to it alone", async () => {
    await using server = await startModelServer([say("through")])
    await using proxy = await startProxy()
    await using place = await newWorkspace()
    const HTTPS_PROXY = proxy.url.replace("//", "//user:pass@")
    expect((await place.run(["-p", "hi", "-m", "flash"], { server, env: { HTTPS_PROXY } })).stdout).toBe("through\n")
    expect(proxy.credentials).toEqual([`Basic ${btoa("user:pass")}`])
    expect(server.requests[0]?.headers["proxy-authorization"]).toBeUndefined()
  })

  test("NO_PROXY goes around it", async () => {
    await using server = await startModelServer([say("direct")])
    await using proxy = await startProxy()
    await using place = await newWorkspace()
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: "localhost,127.0.0.1" }
    expect((await place.run(["-p", "hi"], { server, env })).stdout).toBe("direct\n")
    expect(proxy.asked).toEqual([])
  })

  test("a proxy that refuses is an error in one line", async () => {
    await using server = await startModelServer([say("never")])
    await using proxy = await startProxy({ refuse: 403 })
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", ONE_ATTEMPT)
    const result = await place.run(["-p", "hi"], { server, env: { HTTPS_PROXY: proxy.url } })
    expectFailure(result, 1)
    expect(server.requests).toEqual([])
  })

  test("a proxy that is not there is an error in one line that names it", async () => {
    await using server = await startModelServer([say("never")])
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", ONE_ATTEMPT)
    const result = await place.run(["-p", "hi"], { server, env: { HTTPS_PROXY: "http://127.0.0.1:9" } })
    expectFailure(result, 1, "proxy")
  })
})

describe.skipIf(!canMakeCertificates)("certificates", () => {
  test("those that a .env file names are trusted; a file that is not there is said", async () => {
    await using place = await newWorkspace()
    await using model = await startModelServer(() => say("through"))
    const { certificate: cert, file, key } = await makeCertificate(place, "DNS:localhost")
    const secured = Bun.serve({
      port: 0,
      hostname: "localhost",
      tls: { cert, key },
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        return fetch(`${model.url}${pathname}${search}`, { method: "POST", body: await request.bytes() })
      }
    })
    const server = { url: `https://localhost:${secured.port}` }
    await place.write("home/.gemini/settings.json", ONE_ATTEMPT)
    expectFailure(await place.run(["-p", "hi"], { server }), 1, "NODE_EXTRA_CA_CERTS")
    await place.write("home/.gemini/.env", `NODE_EXTRA_CA_CERTS=${file}\n`)
    expect(await place.run(["-p", "hi"], { server })).toMatchObject({ stdout: "through\n", exitCode: 0 })
    await place.write("home/.gemini/.env", `NODE_EXTRA_CA_CERTS=${file}.gone\n`)
    expectFailure(await place.run(["-p", "hi"], { server }), 1, `${file}.gone does not exist`)
    await secured.stop(true)
  })
})
