/** What a person is told when an answer was shown but did not end normally. */
export const finishNotice = (reason: string): string | undefined =>
  Object.hasOwn(NOTICES, reason) ? NOTICES[reason] : undefined

const NOTICES: Readonly<Record<string, string>> = {
  MAX_TOKENS: "The answer was cut off: the output token limit was reached.",
  SAFETY: "The answer was stopped by a safety filter.",
  RECITATION: "The answer was stopped because it repeated its sources.",
  LANGUAGE: "The answer was stopped: the language is not supported.",
  BLOCKLIST: "The answer was stopped because of forbidden terms.",
  PROHIBITED_CONTENT: "The answer was stopped because of prohibited content.",
  SPII: "The answer was stopped because it may hold personal data.",
  OTHER: "The answer was stopped for a reason that the service did not name.",
  MALFORMED_FUNCTION_CALL: "The answer ended in a tool call that cannot be read.",
  UNEXPECTED_TOOL_CALL: "The answer ended in a call to a tool that was not offered.",
  IMAGE_SAFETY: "An image of the answer was stopped by a safety filter.",
  IMAGE_PROHIBITED_CONTENT: "An image of the answer was stopped because of prohibited content.",
  NO_IMAGE: "The answer was to hold an image, but none was made."
}
