/** The part of the settings that decides how a conversation looks. */
import type { SettingsView } from "../../config/settings.ts"
import type { TranscriptSettings } from "./event-lines.ts"

export const transcriptSettings = ({ get }: Pick<SettingsView, "get">): TranscriptSettings => ({
  showsThoughts: get("ui.inlineThinkingMode") === "full",
  showsCitations: get("ui.showCitations"),
  showsModel: get("ui.showModelInfoInChat"),
  showsRecovered: get("ui.errorVerbosity") === "full",
  showsFooter: !get("ui.hideFooter"),
  hidesFooterModel: get("ui.footer.hideModelInfo")
})
