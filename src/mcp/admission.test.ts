import { expect, test } from "bun:test"
import { openAdmission } from "../../test/kit/open-admission.ts"
import { type AdmissionRules, admit } from "./admission.ts"

test.each<[string, Partial<AdmissionRules>, string]>([
  ["nothing said", {}, "admitted"],
  ["allowed, in another spelling", { allowed: [" DOCS "] }, "admitted"],
  ["allowed in the older spelling", { allowed: ["ext:some:docs"] }, "admitted"],
  ["not among the allowed", { allowed: ["other"] }, "blocked"],
  ["nothing is allowed", { allowed: [] }, "blocked"],
  ["excluded", { excluded: ["Docs"] }, "blocked"],
  ["all are excluded", { excluded: ["*"] }, "blocked"],
  ["excluded beats allowed", { allowed: ["docs"], excluded: ["docs"] }, "blocked"],
  ["the flag sets both lists aside", { named: ["docs"], allowed: ["other"], excluded: ["docs"] }, "admitted"],
  ["not named by the flag", { named: ["other"], allowed: ["docs"] }, "blocked"],
  ["off in this session", { offInSession: new Set(["docs"]) }, "disabled"],
  ["off in the file", { offInFile: new Set(["docs"]) }, "disabled"],
  ["an administrator beats the flag", { blockedByAdmin: new Set(["Docs"]), named: ["docs"] }, "blocked"],
  ["blocked comes before off", { excluded: ["docs"], offInFile: new Set(["docs"]) }, "blocked"]
])("%s", (_, rules, status) => expect(admit("Docs", { ...openAdmission, ...rules }).status).toBe(status as "admitted"))
