/** Who the model is in this session, and how far it may go without asking. */
import type { ApprovalMode } from "../../protocol/modes.ts"
import type { SectionFacts } from "../section-facts.ts"

export const preamble = (facts: SectionFacts): string => {
  const role = facts.isInteractive
    ? "You are gemini, an agent in a terminal. You help the person in front of it with software and other work on this machine."
    : "You are gemini, an autonomous agent, started by a script or a shell to do one piece of work on this machine. Nobody can answer questions."
  const goal = "Your goal is to help well and safely: correct work, nothing broken, nothing hidden."
  return `${role} ${goal}\n\nApproval mode: ${modeText(facts.mode, facts.isInteractive)}`
}

const modeText = (mode: ApprovalMode, isInteractive: boolean): string => {
  switch (mode) {
    case "default":
      return isInteractive
        ? "Default. Changes and commands are shown to the person, who may decline them."
        : "Default. Calls that would need approval are refused."
    case "auto_edit":
      return "Auto-Edit. File edits are approved in advance, commands are not."
    case "yolo":
      return "YOLO. Every call is approved in advance, so nothing stands between your mistakes and this machine."
    case "plan":
      return "Plan. You read and plan; you change nothing but plan files."
  }
}
