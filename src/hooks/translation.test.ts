/** Requests and answers as hooks see them, and back. */
import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { Content, Part } from "../protocol/content.ts"
import {
  type HookedRequest,
  readLlmResponse,
  toLlmRequest,
  toLlmResponse,
  withLlmRequest,
  withTexts
} from "./llm-exchange.ts"
import { withToolChoice } from "./tool-choice.ts"

const isText = (part: Part) => part.text !== undefined && part.thought !== true
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({ text: fc.string(), thought: fc.constant(true) }),
  fc.record({ functionCall: fc.record({ name: fc.string(), args: fc.dictionary(fc.string(), fc.string()) }) }),
  fc.record({ functionResponse: fc.record({ name: fc.string(), response: fc.dictionary(fc.string(), fc.string()) }) }),
  fc.record({ inlineData: fc.record({ mimeType: fc.constant("image/png"), data: fc.base64String() }) })
)
const anyContent: fc.Arbitrary<Content> = fc.record({
  role: fc.constantFrom("user", "model"),
  parts: fc.array(anyPart, { maxLength: 4 })
})
const anyRequest: fc.Arbitrary<HookedRequest> = fc.record({
  model: fc.constant("m"),
  contents: fc.array(anyContent, { maxLength: 6 }),
  config: fc.record({ temperature: fc.double({ noNaN: true }), topK: fc.integer(), tools: fc.constant([{ a: 1 }]) })
})

describe("requests", () => {
  test("what a hook gives back unchanged changes nothing", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const { config, contents, model } = withLlmRequest(request, { ...toLlmRequest(request) })
        expect(contents).toEqual(request.contents)
        expect(config).toEqual(request.config)
        expect(model).toBeUndefined()
      })
    )
  })

  test("whatever a hook makes of the texts, all that is no text stays, in its order", () => {
    const rest = (contents: ReadonlyArray<Content>) =>
      contents.flatMap(({ parts }) => parts.filter((part) => !isText(part)))
    const messages = fc.array(fc.record({ role: fc.constantFrom("user", "model", "system"), content: fc.string() }))
    fc.assert(
      fc.property(anyRequest, messages, (request, changed) => {
        const { contents } = withLlmRequest(request, { messages: changed })
        expect(rest(contents)).toEqual(rest(request.contents))
        expect(contents.length).toBeGreaterThanOrEqual(request.contents.length)
      })
    )
  })

  const request: HookedRequest = {
    model: "m",
    contents: [
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
      { role: "model", parts: [{ functionCall: { name: "f" } }] },
      { role: "model", parts: [{ text: "c" }, { functionCall: { name: "g" } }] }
    ],
    config: { temperature: 1, topP: 0.5, systemInstruction: "s", tools: [] }
  }

  test("shows texts by role, and four parameters", () => {
    expect(toLlmRequest(request)).toEqual({
      model: "m",
      messages: [
        { role: "user", content: "ab" },
        { role: "model", content: "c" }
      ],
      config: { temperature: 1, topP: 0.5 }
    })
  })

  test("turns with text take the messages, surplus ones come last, missing ones leave the turn", () => {
    expect(withLlmRequest(request, { messages: [{ role: "user", content: "x" }] }).contents).toEqual([
      { role: "user", parts: [{ text: "x" }] },
      ...request.contents.slice(1)
    ])
    const more = ["x", "y", "z"].map((content) => ({ role: "user", content }))
    expect(withLlmRequest(request, { messages: more }).contents).toEqual([
      { role: "user", parts: [{ text: "x" }] },
      { role: "model", parts: [{ functionCall: { name: "f" } }] },
      { role: "user", parts: [{ text: "y" }, { functionCall: { name: "g" } }] },
      { role: "user", parts: [{ text: "z" }] }
    ])
  })

  test("parameters that a hook leaves out stay, and others are none of its business", () => {
    const { config, model } = withLlmRequest(request, { model: "n", config: { temperature: 0, tools: "x" } })
    expect(config).toEqual({ ...request.config, temperature: 0 })
    expect(model).toBe("n")
  })
})

describe("answers", () => {
  test("texts are replaced, everything else stays in its order", () => {
    fc.assert(
      fc.property(fc.array(anyPart), fc.array(fc.string(), { minLength: 1 }), (parts, texts) => {
        const changed = withTexts(parts, texts)
        const rest = (some: ReadonlyArray<Part>) => some.filter((part) => !isText(part))
        expect(rest(changed)).toEqual(rest(parts))
        expect(changed.filter(isText)).toEqual(texts.map((text) => ({ text })))
      })
    )
  })

  test("what a hook is shown can be given back", () => {
    const shown = toLlmResponse({ parts: [{ text: "a" }, { functionCall: { name: "f" } }], finishReason: "STOP" })
    expect(shown).toEqual({
      text: "a",
      candidates: [{ content: { role: "model", parts: ["a"] }, finishReason: "STOP", index: 0 }]
    })
    expect(readLlmResponse(shown)).toEqual({ texts: ["a"], finishReason: "STOP" })
  })

  test.each([[undefined], [{}], [{ candidates: [] }], [{ candidates: [{ content: { parts: [] } }] }], ["text"]])(
    "%j replaces nothing",
    (value: unknown) => expect(readLlmResponse(value)).toBeUndefined()
  )
})

describe("the choice of tools", () => {
  const config = { tools: [{ functionDeclarations: [{ name: "a" }, { name: "b" }] }, { googleSearch: {} }] }
  const calling = (functionCallingConfig: object) => ({ ...config, toolConfig: { functionCallingConfig } })
  const TABLE: ReadonlyArray<readonly [unknown, unknown]> = [
    [undefined, config],
    [{ mode: "AUTO", allowedFunctionNames: [] }, config],
    [
      { mode: "AUTO", allowedFunctionNames: ["a"] },
      { tools: [{ functionDeclarations: [{ name: "a" }] }, { googleSearch: {} }] }
    ],
    [{ mode: "ANY", allowedFunctionNames: ["a"] }, calling({ mode: "ANY", allowedFunctionNames: ["a"] })],
    [{ mode: "ANY" }, calling({ mode: "ANY" })],
    [{ mode: "NONE", allowedFunctionNames: ["a"] }, calling({ mode: "NONE" })]
  ]
  test.each(TABLE)("%j", (wish, expected) => expect(withToolChoice(config, wish)).toEqual(expected as never))
})
