/** The writer of each output format. A new format is a row here and a name in `OutputFormat`. */
import type { Layer } from "effect"
import type { OutputFormat } from "../protocol/modes.ts"
import * as JsonWriter from "./json-writer.ts"
import type { RunWriter, WriterOptions } from "./run-writer.ts"
import type { Stderr } from "./stderr.ts"
import type { Stdout } from "./stdout.ts"
import * as StreamJsonWriter from "./stream-json-writer.ts"
import * as TextWriter from "./text-writer.ts"

type WriterLayer = (
  options: WriterOptions & JsonWriter.JsonWriterOptions
) => Layer.Layer<RunWriter, never, Stdout | Stderr>

export const WRITERS: Readonly<Record<OutputFormat, WriterLayer>> = {
  text: TextWriter.layer,
  json: JsonWriter.layer,
  "stream-json": StreamJsonWriter.layer
}
