/** A certificate for tests, made where it is needed: none is kept that would expire. */
import { readFile } from "node:fs/promises"
import type { Workspace } from "./run-gemini.ts"

export interface Certificate {
  readonly key: Buffer
  readonly certificate: Buffer
  /** For `NODE_EXTRA_CA_CERTS`. */
  readonly file: string
}

export const canMakeCertificates = Bun.which("openssl") !== null

/** `names` as openssl writes them: `DNS:example.com`, `IP:127.0.0.1`. */
export const makeCertificate = async (place: Workspace, ...names: ReadonlyArray<string>): Promise<Certificate> => {
  const [key, file] = [`${place.root}/key.pem`, `${place.root}/certificate.pem`]
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=test", "-addext", `subjectAltName=${names.join(",")}`, "-keyout", key, "-out", file]
  ])
  if (made.exitCode !== 0) throw new Error(`no certificate: ${made.stderr.toString()}`)
  return { key: await readFile(key), certificate: await readFile(file), file }
}
