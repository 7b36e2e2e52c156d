/** The documentation of this version, inside of the program. Loaded when somebody asks for it. */
import { readDocs } from "./read-docs.ts" with { type: "macro" }

export const embeddedDocs: Readonly<Record<string, string>> = readDocs()
