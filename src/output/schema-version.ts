/** The version of the output contract (`run-documents.ts`), which every run prints. */
export const SCHEMA_VERSION = 1
