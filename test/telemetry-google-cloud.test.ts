/** Telemetry to Google Cloud, with a service account and services that are played on the loopback, through a proxy. */
import { expect, test } from "bun:test"
import { startGoogle } from "./kit/google.ts"
import { startModelServer } from "./kit/model-server.ts"
import { startProxy } from "./kit/proxy-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { serviceAccountFile } from "./kit/service-account.ts"

interface Received {
  readonly path: string
  readonly authorization: string | null
  readonly project: string | null
  readonly body: unknown
}

/** Logging, Trace, Monitoring and the token endpoint in one. */
const startCloud = (status: number) => {
  const received: Array<Received> = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url)
      if (path === "/token")
        return Response.json({ access_token: "cloud-token", expires_in: 3600, token_type: "Bearer" })
      received.push({
        path,
        authorization: request.headers.get("authorization"),
        project: request.headers.get("x-goog-user-project"),
        body: await request.json()
      })
      return Response.json({}, { status })
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, received, [Symbol.asyncDispose]: () => server.stop(true) }
}

const runWith = async (status: number) => {
  await using cloud = startCloud(status)
  await using proxy = await startProxy()
  await using server = await startModelServer([ask(call("read_file", { file_path: "a.ts" })), say("done")])
  await using place = await newWorkspace()
  await place.write("work/a.ts", "export const a = 1\n")
  await place.write("home/.gemini/settings.json", '{ "telemetry": { "enabled": true, "target": "gcp" } }')
  const result = await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], {
    server,
    env: {
      OTLP_GOOGLE_CLOUD_PROJECT: "my-project",
      GOOGLE_APPLICATION_CREDENTIALS: await place.write("account.json", serviceAccountFile(`${cloud.url}/token`)),
      CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING: `${cloud.url}/logging/`,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDTRACE: `${cloud.url}/trace`,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING: `${cloud.url}/monitoring`,
      HTTPS_PROXY: proxy.url
    }
  })
  return { result, received: cloud.received, asked: [...proxy.asked], url: cloud.url }
}

test("logs, spans and time series arrive with the account's token, through the proxy", async () => {
  const { asked, received, result, url } = await runWith(200)
  expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" })
  expect(new Set(received.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer cloud-token"]))
  const bodiesAt = (path: string) => received.filter((request) => request.path === path).map(({ body }) => body)

  expect(bodiesAt("/logging/v2/entries:write")).toContainEqual(
    expect.objectContaining({
      logName: "projects/my-project/logs/gemini_cli",
      resource: { type: "global" },
      entries: expect.arrayContaining([
        {
          severity: "INFO",
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          jsonPayload: expect.objectContaining({ "event.name": "gemini_cli.config", model: "gemini-2.5-pro" })
        }
      ])
    })
  )
  const spans = expect.objectContaining({ displayName: { value: "tool_call" }, parentSpanId: expect.any(String) })
  expect(bodiesAt("/trace/v2/projects/my-project/traces:batchWrite")).toContainEqual({
    spans: expect.arrayContaining([spans])
  })
  const series = (name: string, valueType: string, value: object) =>
    expect.objectContaining({
      metric: expect.objectContaining({ type: `custom.googleapis.com/gemini_cli/${name}` }),
      metricKind: "CUMULATIVE",
      valueType,
      points: [{ interval: { startTime: expect.any(String), endTime: expect.any(String) }, value }]
    })
  expect(bodiesAt("/monitoring/v3/projects/my-project/timeSeries")).toContainEqual({
    timeSeries: expect.arrayContaining([
      series("gemini_cli.session.count", "INT64", { int64Value: "1" }),
      series("gemini_cli.tool.call.latency", "DISTRIBUTION", {
        distributionValue: expect.objectContaining({ count: "1" })
      })
    ])
  })
  for (const path of ["/token", "/logging/v2/entries:write"]) expect(asked).toContain(`POST ${url}${path}`)
})

test("a project that refuses costs one warning", async () => {
  const { result } = await runWith(403)
  expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" })
  expect(
    result.stderr.match(/\[WARNING\] telemetry cannot be delivered to Google Cloud, project my-project/g)
  ).toHaveLength(1)
})

test("useCliAuth: with the sign-in of the run, for the project that pays; without a sign-in it is said", async () => {
  await using cloud = startCloud(200)
  using google = startGoogle({ says: [say("done")] })
  await using server = await startModelServer(() => say("done"))
  await using place = await newWorkspace()
  await place.write("home/.gemini/oauth_creds.json", google.signedIn())
  await place.write(
    "home/.gemini/settings.json",
    '{ "telemetry": { "enabled": true, "target": "gcp", "useCliAuth": true } }'
  )
  const env = {
    GOOGLE_CLOUD_PROJECT: "my-project",
    CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING: cloud.url,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDTRACE: cloud.url,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING: cloud.url
  }
  const ran = await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { env: { ...env, ...google.env } })
  expect(ran).toMatchObject({ exitCode: 0, stdout: "done\n", stderr: "" })
  expect(new Set(cloud.received.map(({ authorization, project }) => `${authorization} ${project}`))).toEqual(
    new Set(["Bearer ya29.canary-access-1 my-project"])
  )
  cloud.received.length = 0
  const withKey = await place.run(["-p", "hi", "-m", "gemini-2.5-pro"], { server, env })
  expect(withKey).toMatchObject({ exitCode: 0, stdout: "done\n" })
  expect(withKey.stderr).toContain("telemetry.useCliAuth takes the sign-in with Google")
  expect(cloud.received).toEqual([])
})
