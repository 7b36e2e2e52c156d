/** The network as the configuration of a run describes it. */
import { resolve } from "node:path"
import { type HttpClient, make } from "../system/http/http.ts"
import type { EnvironmentView } from "./environment.ts"
import type { SettingsView } from "./settings.ts"

const CERTIFICATES = "NODE_EXTRA_CA_CERTS"

export const httpOf = ({
  environment,
  settings
}: {
  readonly environment: EnvironmentView
  readonly settings: Pick<SettingsView, "get">
}): HttpClient => {
  const { cwd, dotenv, variables } = environment
  // The runtime reads the variable of the process itself, and only that.
  const named = dotenv?.names.includes(CERTIFICATES) === true ? variables[CERTIFICATES] : undefined
  return make({
    variables,
    extraCertificates: named === undefined || named === "" ? undefined : resolve(cwd, named),
    ipv4First: settings.get("advanced.dnsResolutionOrder") === "ipv4first"
  })
}
