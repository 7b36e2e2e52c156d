/** The pure parts of the web tools: addresses, URLs in prompts, budgets, citations. */
import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { isAddress, isPublicAddress } from "../../system/http/public-address.ts"
import { findUrls, normalizeUrl, rawUrl } from "../../system/http/web-url.ts"
import { withCitations } from "./citations.ts"
import { cutText, escapeXml, shareOut } from "./page-text.ts"

describe("addresses", () => {
  const publicOnes = [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "198.20.0.1",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808"
  ]
  const others = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "2002:7f00:1::",
    "100::1",
    "3fff::1"
  ]
  for (const address of publicOnes) test(`${address} is public`, () => expect(isPublicAddress(address)).toBe(true))
  for (const address of others) test(`${address} is not`, () => expect(isPublicAddress(address)).toBe(false))

  test("what is not an address is not public", () => {
    for (const text of [
      "",
      "localhost",
      "1.2.3",
      "1.2.3.256",
      "1.2.3.4.5",
      ":::",
      "1::2::3",
      "12345::",
      "1:2:3",
      "::g"
    ]) {
      expect([text, isAddress(text), isPublicAddress(text)]).toEqual([text, false, false])
    }
  })

  test("the spelling of a URL's host does not matter", () => {
    for (const host of ["0x7f.1", "2130706433", "017700000001", "127.1", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]"]) {
      const { hostname } = new URL(`http://${host}/`)
      expect([host, isPublicAddress(hostname)]).toEqual([host, false])
    }
  })

  test("every IPv4 address means the same when mapped into IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address)))
    )
  })

  test("every IPv6 spelling is an address", () => {
    fc.assert(fc.property(fc.ipV6(), (address) => expect(isAddress(address)).toBe(true)))
  })
})

describe("URLs in prompts", () => {
  const cases: ReadonlyArray<readonly [prompt: string, urls: ReadonlyArray<string>]> = [
    ["Read https://a.com/x and http://b.org", ["https://a.com/x", "http://b.org"]],
    ["See (https://a.com/x). Then <https://b.com>, ok", ["https://a.com/x", "https://b.com"]],
    ["https://en.org/wiki/A_(b)", ["https://en.org/wiki/A_(b)"]],
    ["(see https://en.org/wiki/A_(b))", ["https://en.org/wiki/A_(b)"]],
    ["Is it https://a.com/?q=1?", ["https://a.com/?q=1"]],
    ["'https://a.com', \"https://b.com\" `https://c.com`", ["https://a.com", "https://b.com", "https://c.com"]],
    ["no url here, a.com is none", []]
  ]
  for (const [prompt, urls] of cases) test(prompt, () => expect(findUrls(prompt)).toEqual({ urls, problems: [] }))

  test("every piece that cannot be fetched is named", () => {
    expect(findUrls("ftp://a.com http:// https://ok.com file:///etc/passwd").problems).toEqual([
      'Only http and https are fetched: "ftp://a.com"',
      'Not a valid URL: "http://"',
      'Only http and https are fetched: "file:///etc/passwd"'
    ])
  })

  test("one spelling for each address", () => {
    expect(normalizeUrl("HTTP://EXAMPLE.com:80/a/#x")).toBe("http://example.com/a")
    expect(normalizeUrl("https://example.com:443")).toBe("https://example.com/")
    expect(normalizeUrl("https://example.com:8443/A//?b=/")).toBe("https://example.com:8443/A/?b=/")
  })

  test("a file on GitHub is fetched raw", () => {
    expect(rawUrl("https://github.com/o/r/blob/main/src/x.ts")).toBe(
      "https://raw.githubusercontent.com/o/r/main/src/x.ts"
    )
    expect(rawUrl("https://github.com/o/r/tree/main")).toBe("https://github.com/o/r/tree/main")
    expect(rawUrl("https://github.com.evil.org/o/r/blob/main/x")).toBe("https://github.com.evil.org/o/r/blob/main/x")
  })
})

describe("budgets", () => {
  test("short texts get all they need, long ones share the rest", () => {
    expect(shareOut([100, 10, 100], 110)).toEqual([50, 10, 50])
    expect(shareOut([5, 5], 100)).toEqual([5, 5])
    expect(shareOut([], 100)).toEqual([])
  })

  test("no text gets more than it has, the sum keeps the budget, and nothing is left while something is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 20 }), fc.nat(3000), (lengths, budget) => {
        const shares = shareOut(lengths, budget)
        const sum = shares.reduce((total, share) => total + share, 0)
        expect(shares.every((share, index) => share <= (lengths[index] ?? 0))).toBe(true)
        expect(sum).toBeLessThanOrEqual(budget)
        if (shares.some((share, index) => share < (lengths[index] ?? 0)))
          expect(budget - sum).toBeLessThan(Math.max(1, lengths.length))
      })
    )
  })

  test("a cut says how much is missing and keeps characters whole", () => {
    expect(cutText("short", 10)).toBe("short")
    expect(cutText("0123456789", 4)).toBe("0123\n... [cut: 6 more characters]")
    expect(cutText("ab😀cd", 3)).toBe("ab\n... [cut: 4 more characters]")
  })
})

describe("citations", () => {
  const chunks = [{ web: { uri: "https://a.com", title: "A" } }, { web: { uri: "https://b.com", title: "B\nb" } }, {}]
  const support = (endIndex: number, ...groundingChunkIndices: Array<number>) => ({
    segment: { endIndex },
    groundingChunkIndices
  })

  test("marks stand at byte positions, behind whole characters", () => {
    const text = "Größe 😀 end."
    const bytes = new TextEncoder().encode("Größe").length
    expect(
      withCitations(text, {
        groundingChunks: chunks,
        groundingSupports: [support(9999, 1), support(bytes, 0, 1), support(bytes + 3, 0)]
      })
    ).toBe(
      "Größe[1][2] 😀[1] end.[2]\n\nSources:\n[1] A (https://a.com)\n[2] B b (https://b.com)\n[3] Untitled (no address)"
    )
  })

  test("unknown sources and missing positions are left out", () => {
    const supports = [support(1, 7), { groundingChunkIndices: [0] }, support(2)]
    expect(withCitations("abc", { groundingChunks: chunks.slice(0, 1), groundingSupports: supports })).toBe(
      "abc\n\nSources:\n[1] A (https://a.com)"
    )
    expect(withCitations("abc", { groundingSupports: [support(1, 0)] })).toBe("abc")
  })

  test("without its marks the text is what it was", () => {
    const marks = fc.array(fc.tuple(fc.nat(60), fc.constantFrom(0, 1)), { maxLength: 6 })
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => !text.includes("[")),
        marks,
        (text, positions) => {
          const groundingSupports = positions.map(([at, index]) => support(at, index))
          const [marked = ""] = withCitations(text, { groundingChunks: chunks, groundingSupports }).split(
            "\n\nSources:\n"
          )
          expect(marked.replace(/\[[12]\]/g, "")).toBe(text)
        }
      )
    )
  })
})

test("XML", () => expect(escapeXml(`<a b="c">'&`)).toBe("&lt;a b=&quot;c&quot;&gt;&apos;&amp;"))
