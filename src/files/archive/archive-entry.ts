/**
 * What archives of all kinds are read into, and what is refused in every one of them. Readers stop at the first thing
 * that is wrong: an archive with one bad entry is not trusted with the others.
 */
export interface ArchiveEntry {
  /** Relative, with forward slashes; checked by `nameFault`. */
  readonly name: string
  /** `undefined` for a folder. */
  readonly content: Uint8Array | undefined
  readonly isExecutable: boolean
}

export interface ArchiveLimits {
  readonly maxEntries: number
  /** Of everything unpacked together, and of the archive itself. */
  readonly maxBytes: number
}

/** Thrown by the readers, turned into an `ArchiveError` where the file is known. */
export class ArchiveFault extends Error {
  readonly kind: "unreadable" | "unsafe" | "too-large"

  constructor(kind: ArchiveFault["kind"], message: string) {
    super(message)
    this.kind = kind
  }
}

const MAX_NAME_CHARS = 1024

/** Why an entry of this name cannot be unpacked; `undefined` when it can. */
export const nameFault = (name: string): string | undefined => {
  if (name.length > MAX_NAME_CHARS) return `it names an entry of ${name.length} characters`
  const shown = JSON.stringify(name)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(name)) return `the name ${shown} holds control characters`
  if (name.includes("\\")) return `the name ${shown} holds a backslash`
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) return `the name ${shown} is absolute`
  return name.split("/").includes("..") ? `the name ${shown} leads out of the folder` : undefined
}

export const tooLarge = (maxBytes: number): ArchiveFault =>
  new ArchiveFault("too-large", `it unpacks to more than ${Math.round(maxBytes / 1024 / 1024)} MiB`)
