/**
 * Certificates beyond those of the runtime, for networks that inspect TLS. The runtime reads `NODE_EXTRA_CA_CERTS` of
 * the process by itself; this is for a file that only a `.env` file names.
 */
import { rootCertificates } from "node:tls"
import { readRegularFile } from "../regular-file.ts"

const MAX_FILE_BYTES = 16 * 1024 * 1024

/** All that is trusted (PEM). Throws where the file cannot be read: whoever named it counts on it. */
export const trustedCertificates = (extraFile: string): ReadonlyArray<string> => {
  const content = readRegularFile(extraFile, MAX_FILE_BYTES)
  if (content.kind === "text") return [...rootCertificates, content.text]
  const why = content.kind === "missing" ? "does not exist" : content.reason
  throw new Error(`the certificates that NODE_EXTRA_CA_CERTS names cannot be read: ${extraFile} ${why}`)
}
