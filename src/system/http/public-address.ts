/**
 * Which addresses belong to the public internet. Everything else (this machine, its network, its provider's metadata
 * service, documentation and test ranges) is out of reach for pages that a model asks for. Pure.
 */

/** Everything in IPv4 that is not global unicast. */
const PRIVATE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3"
]

/** Within IPv6 only `2000::/3` is global unicast, without these parts of it. */
const GLOBAL_V6 = "2000::/3"
const PRIVATE_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]
/** IPv4 in other clothes: mapped, translated. The last four bytes decide. */
const EMBEDDED_V4 = ["::ffff:0:0/96", "64:ff9b::/96"]

/** False for what is not an address at all. */
export const isPublicAddress = (text: string): boolean => {
  const v4 = parseV4(text)
  if (v4 !== undefined) return !PRIVATE_V4.some((range) => isWithin(v4, range, 32))
  const v6 = parseV6(text)
  if (v6 === undefined) return false
  if (EMBEDDED_V4.some((range) => isWithin(v6, range, 128))) return isPublicAddress(formatV4(v6 & 0xffffffffn))
  return isWithin(v6, GLOBAL_V6, 128) && !PRIVATE_V6.some((range) => isWithin(v6, range, 128))
}

/** This machine itself, its link, and the metadata service of its provider. */
const OWN_V4 = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16"]
const OWN_V6 = ["::/127", "fe80::/10"]

export const isOwnAddress = (text: string): boolean => {
  const v4 = parseV4(text)
  if (v4 !== undefined) return OWN_V4.some((range) => isWithin(v4, range, 32))
  const v6 = parseV6(text)
  if (v6 === undefined) return false
  if (EMBEDDED_V4.some((range) => isWithin(v6, range, 128))) return isOwnAddress(formatV4(v6 & 0xffffffffn))
  return OWN_V6.some((range) => isWithin(v6, range, 128))
}

export const isAddress = (text: string): boolean => parseV4(text) !== undefined || parseV6(text) !== undefined

const isWithin = (address: bigint, range: string, width: 32 | 128): boolean => {
  const [base = "", bits = "0"] = range.split("/")
  const network = width === 32 ? parseV4(base) : parseV6(base)
  const shift = BigInt(width - Number(bits))
  return network !== undefined && address >> shift === network >> shift
}

const parseV4 = (text: string): bigint | undefined => {
  const parts = text.split(".")
  // Not with zeros before it: some read that as octal.
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

const formatV4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".")

/** A zone (`%eth0`) belongs to link-local addresses, which are private anyway. */
const parseV6 = (given: string): bigint | undefined => {
  const text = given.replace(/^\[|\]$/g, "").split("%")[0] ?? ""
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const tail = dotted === null ? undefined : parseV4(dotted[2] ?? "")
  if (dotted !== null && tail === undefined) return undefined
  const hex = tail === undefined ? text : `${dotted?.[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`
  const halves = hex.split("::")
  if (halves.length > 2 || !hex.includes(":")) return undefined
  const [left = [], right = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...left, ...Array.from({ length: missing }, () => "0"), ...right]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

/** Addresses of a name, as this machine knows them. */
export const addressesOf = async (name: string): Promise<ReadonlyArray<string>> => {
  const { lookup } = await import("node:dns/promises")
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
