/**
 * Certificates beyond those of the runtime, for networks that inspect TLS. The runtime reads `NODE_EXTRA_CA_CERTS` of
 * the process by itself; this is for a file that only a `.env` file names.
 */
import { rootCertificates } from "node:tls"
import { readRegularFile } from "../kernel/regular-file.ts"

const MAX_FILE_BYTES = 16 * 1024 * 1024

/** All that is trusted (PEM); `undefined` where the file cannot be read, which leaves it to the runtime. */
export const trustedCertificates = (extraFile: string): ReadonlyArray<string> | undefined => {
  const content = readRegularFile(extraFile, MAX_FILE_BYTES)
  return content.kind === "text" ? [...rootCertificates, content.text] : undefined
}
