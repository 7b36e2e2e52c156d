/** Which preset writes the snapshot: the model of the conversation itself, where it has one. */
import { displayName } from "../../model/model-features.ts"
import type { CompressionAlias } from "../../model/utility-models.ts"

export const compressionAlias = (model: string): CompressionAlias => {
  switch (displayName(model)) {
    case "gemini-3-pro-preview":
    case "gemini-3.1-pro-preview":
      return "chat-compression-3-pro"
    case "gemini-3-flash-preview":
      return "chat-compression-3-flash"
    case "gemini-3.1-flash-lite":
      return "chat-compression-3.1-flash-lite"
    case "gemini-2.5-flash-lite":
      return "chat-compression-2.5-flash-lite"
    case "gemini-2.5-pro":
      return "chat-compression-2.5-pro"
    case "gemini-2.5-flash":
    case "gemini-3.5-flash":
      return "chat-compression-2.5-flash"
    default:
      return "chat-compression-default"
  }
}
