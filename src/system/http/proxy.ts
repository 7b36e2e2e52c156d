/**
 * Which proxy, if any, a request goes through. One rule for all traffic of the program: model calls, Google's token
 * endpoints, remote servers. The runtime has its own rule for variables of the process, but does not see those that
 * come from a `.env` file, and picks the variable by the scheme of the target.
 */

type Variables = Readonly<Record<string, string | undefined>>

const PROXY_NAMES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] as const

const firstSet = (variables: Variables, names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = variables[name]?.trim()
    if (value !== undefined && value !== "") return value
  }
  return undefined
}

/** The proxy's URL; `undefined` means a direct connection. A proxy written without a scheme is taken as `http://`. */
export const proxyFor = (url: URL, variables: Variables): string | undefined => {
  const proxy = firstSet(variables, PROXY_NAMES)
  if (proxy === undefined || isExempt(url, firstSet(variables, ["NO_PROXY", "no_proxy"]) ?? "")) return undefined
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
}

/** Entries are hosts, `.domain` or `*.domain` suffixes, each with an optional port, or `*` for everything. */
const isExempt = (url: URL, list: string): boolean => {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase()
  const port = url.port !== "" ? url.port : url.protocol === "https:" ? "443" : "80"
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*" || entry.toLowerCase() === host) return true
      const [, name = "", wantedPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      if (wantedPort !== undefined && wantedPort !== port) return false
      const domain = name.replace(/^\*?\./, "")
      return domain !== "" && (host === domain || host.endsWith(`.${domain}`))
    })
}
