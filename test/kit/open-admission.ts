/** Rules under which every MCP server may start. */
import type { AdmissionRules } from "../../src/mcp/admission.ts"

export const openAdmission: AdmissionRules = {
  blockedByAdmin: new Set(),
  unconfirmed: new Set(),
  named: undefined,
  allowed: undefined,
  excluded: [],
  offInSession: new Set(),
  offInFile: new Set()
}
