/**
 * Takes credentials out of bytes that come in pieces, such as the output of a command on its way to a file. A credential
 * may be cut by the end of a piece: what could be the beginning of one is held back until the next piece decides.
 */
import { markOf, type Secret, secretForms } from "../kernel/redact-secrets.ts"

interface Needle {
  readonly bytes: Buffer
  readonly mark: Buffer
}

const NOTHING = Buffer.alloc(0)

export class SecretFilter {
  /** The longest first: of two that begin at the same place it goes as a whole. */
  private readonly needles: ReadonlyArray<Needle>
  private held: Buffer = NOTHING

  constructor(secrets: ReadonlyArray<Secret>) {
    this.needles = secretForms(secrets).map(({ name, value }) => ({
      bytes: Buffer.from(value),
      mark: Buffer.from(markOf(name))
    }))
  }

  /** What can be written now. */
  push(piece: Uint8Array): Uint8Array {
    if (this.needles.length === 0) return piece
    const bytes = this.held.length === 0 ? view(piece) : Buffer.concat([this.held, piece])
    const { clean, rest } = this.cleaned(bytes, { isLast: false })
    // The piece belongs to whoever read it, and is used again.
    this.held = Buffer.from(rest)
    return clean
  }

  /** What is held back now. */
  get pending(): Uint8Array {
    return this.held
  }

  /** What was held back: nothing follows it. */
  end(): Uint8Array {
    const { clean } = this.cleaned(this.held, { isLast: true })
    this.held = NOTHING
    return clean
  }

  private cleaned(bytes: Buffer, { isLast }: { readonly isLast: boolean }) {
    const parts: Array<Buffer> = []
    let at = 0
    while (true) {
      const match = this.firstMatch(bytes, at)
      const undecided = isLast ? bytes.length : this.undecidedFrom(bytes, at)
      if (match === undefined || undecided <= match.at) {
        parts.push(bytes.subarray(at, undecided))
        return {
          clean: parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts),
          rest: bytes.subarray(undecided)
        }
      }
      parts.push(bytes.subarray(at, match.at), match.needle.mark)
      at = match.at + match.needle.bytes.length
    }
  }

  private firstMatch(bytes: Buffer, from: number) {
    let first: { readonly at: number; readonly needle: Needle } | undefined
    for (const needle of this.needles) {
      const at = bytes.indexOf(needle.bytes, from)
      if (at !== -1 && (first === undefined || at < first.at)) first = { at, needle }
    }
    return first
  }

  /** Where the first beginning of a credential stands that the piece cuts off; the end where there is none. */
  private undecidedFrom(bytes: Buffer, from: number): number {
    const longest = Math.max(...this.needles.map((needle) => needle.bytes.length))
    for (let at = Math.max(from, bytes.length - longest + 1); at < bytes.length; at++) {
      const tail = bytes.length - at
      const isBeginning = this.needles.some(
        (needle) => needle.bytes.length > tail && needle.bytes.compare(bytes, at, bytes.length, 0, tail) === 0
      )
      if (isBeginning) return at
    }
    return bytes.length
  }
}

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
