/** Options for tests, for finding out what happened, and about the program itself. */
import { OnMiss } from "../../protocol/modes.ts"
import type { RootOption } from "../option-row.ts"

export const otherOptions: ReadonlyArray<RootOption> = [
  {
    long: "record",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Record every call of the model into this cassette.",
    group: "Testing",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "replay",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Take the model's answers from this cassette: no key, no network.",
    group: "Testing",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "on-miss",
    type: "choice",
    choices: OnMiss.literals,
    value: "HOW",
    description: "With --replay: what to do about a call that was not recorded (default: fail, exit 54).",
    group: "Testing",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "replay-tools",
    type: "boolean",
    description: "With --replay: take results of tools from the cassette too, and run nothing.",
    group: "Testing",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "replay-gaps",
    type: "boolean",
    description: "With --replay: let answers arrive as slowly as they did.",
    group: "Testing",
    hasVariable: true,
    since: "0.1"
  },
  {
    long: "fake-responses",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Take the model's answers from this file, in order.",
    hidden: true,
    group: "Testing",
    since: "0.1"
  },
  {
    long: "fake-responses-non-strict",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Take the model's answers from this file, first match of each method.",
    hidden: true,
    group: "Testing",
    since: "0.1"
  },
  {
    long: "record-responses",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Write the model's answers to this file.",
    hidden: true,
    group: "Testing",
    since: "0.1"
  },
  {
    long: "demo",
    type: "boolean",
    description: "Try it with a built-in model: no key, no network.",
    group: "Other",
    since: "0.1"
  },
  {
    long: "api-key",
    type: "string",
    value: "KEY",
    description: "Key of the Gemini API. Everybody on the machine can read it there: GEMINI_API_KEY is safer.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "debug",
    short: "d",
    type: "boolean",
    description: "Say on stderr what is done and why.",
    group: "Other",
    since: "0.1"
  },
  {
    long: "profile",
    type: "boolean",
    description: "Say on stderr how long the parts of the start took, and what was loaded.",
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry",
    type: "boolean",
    description: "Record telemetry.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-target",
    type: "choice",
    choices: ["local", "gcp"],
    value: "TARGET",
    description: "Where telemetry goes: local or gcp.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-otlp-endpoint",
    type: "string",
    value: "URL",
    description: "Address of the collector.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-otlp-protocol",
    type: "choice",
    choices: ["grpc", "http"],
    value: "PROTOCOL",
    description: "How the collector is spoken to: grpc or http.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-log-prompts",
    type: "boolean",
    description: "Let telemetry hold texts of prompts and answers.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "telemetry-outfile",
    type: "string",
    names: "path",
    value: "FILE",
    description: "Write telemetry to this file.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  {
    long: "ide-mode",
    type: "boolean",
    description: "Connect to the companion of the editor, as ide.enabled does.",
    hidden: true,
    group: "Other",
    since: "0.1"
  },
  { long: "version", short: "v", type: "boolean", description: "Print the version.", group: "Other", since: "0.1" },
  { long: "help", short: "h", type: "boolean", description: "Print this help.", group: "Other", since: "0.1" }
]
