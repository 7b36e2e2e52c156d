/** The file of a service account whose tokens are given out at this address. */
import { generateKeyPairSync } from "node:crypto"

export const serviceAccountFile = (tokenUri: string): string => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "robot@p.iam.gserviceaccount.com",
    client_id: "1",
    token_uri: tokenUri
  })
}
