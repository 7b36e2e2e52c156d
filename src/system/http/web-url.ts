/** URLs as people and models write them into a text, and the hosts in them. Pure. */

export interface FoundUrls {
  readonly urls: ReadonlyArray<string>
  /** One sentence for each piece of text that looks like a URL and cannot be fetched. */
  readonly problems: ReadonlyArray<string>
}

/** Every word with `://` in it has to be a URL of the web. */
export const findUrls = (prompt: string): FoundUrls => {
  const urls: Array<string> = []
  const problems: Array<string> = []
  for (const word of prompt.split(/\s+/).filter((candidate) => candidate.includes("://"))) {
    const text = withoutSurroundings(word)
    const url = URL.parse(text)
    if (url === null) problems.push(`Not a valid URL: "${text}"`)
    else if (url.protocol !== "http:" && url.protocol !== "https:")
      problems.push(`Only http and https are fetched: "${text}"`)
    else urls.push(text)
  }
  return { urls, problems }
}

/** One spelling for each address: host in lower case, no default port, no slash at the end, no fragment. */
export const normalizeUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return text
  url.hash = ""
  if (url.pathname.length > 1 && url.pathname.endsWith("/")) url.pathname = url.pathname.slice(0, -1)
  return url.href
}

/** GitHub shows files inside a page of its own; the file itself is on another host. */
export const rawUrl = (text: string): string => {
  const url = URL.parse(text)
  const match = url?.hostname === "github.com" ? /^\/([^/]+)\/([^/]+)\/blob\/(.+)$/.exec(url.pathname) : null
  return match === null ? text : `https://raw.githubusercontent.com/${match[1]}/${match[2]}/${match[3]}`
}

/** One spelling for each host: in lower case, without brackets and without dots at its end. */
export const hostOf = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase()

/** The same for `example.com` and `www.example.com`, which nobody tells apart. */
export const siteOf = (host: string): string => host.replace(/^www\.(?=[^.]+\.)/, "")

/** Of addresses, each once. */
export const sitesIn = (urls: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(urls.flatMap((text) => URL.parse(text) ?? []).map((url) => siteOf(hostOf(url))))
]

/** Under these, a name without `https://` is an address and not a file or a part of a program. */
const PLAIN_NAME =
  /(?:^|[\s<("'`[{])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|edu|gov))(?=$|[\s/:>)"'`\]},;!?]|\.(?:\s|$))/g
const WWW_NAME = /(?:^|[\s<("'`[{])(www\.(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})(?![\w-]|\.\w)/gi

/**
 * Sites that a text names: by whole addresses, by names that begin with `www.`, and by names of the few domains that mean
 * nothing else. `main.rs`, `script.sh` and `java.io` are names of hosts, too, and whoever writes them means something else.
 */
export const sitesNamedIn = (text: string): ReadonlySet<string> => {
  const addresses = findUrls(text).urls.flatMap((url) => URL.parse(url) ?? [])
  const names = [...text.matchAll(PLAIN_NAME), ...text.matchAll(WWW_NAME)].map(([, name = ""]) => name.toLowerCase())
  return new Set([...addresses.map(hostOf), ...names].map(siteOf))
}

/** Brackets and quotes around a URL, and punctuation after it, belong to the sentence. */
const withoutSurroundings = (word: string): string => {
  const start = word.replace(/^[<("'`[{]+/, "")
  const trimmed = start.replace(/[>"'`\]},;!]+$/, "").replace(/[.?:]+$/, "")
  // A closing bracket is part of the URL when it was opened in it.
  const opened = trimmed.split("(").length
  const closed = trimmed.split(")").length
  return closed > opened ? trimmed.replace(/\)+$/, ")".repeat(Math.max(0, opened - 1))) : trimmed
}
