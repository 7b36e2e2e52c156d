/**
 * The options of a run, in the order of the help text: the only list of them in the project. To make a planned feature
 * reachable, change `since` of its row.
 *
 * Plain data, since it is on the path of every start.
 */
import type { RootOption } from "./option-row.ts"
import { approvalOptions } from "./options/approval-options.ts"
import { otherOptions } from "./options/other-options.ts"
import { promptOptions } from "./options/prompt-options.ts"
import { workspaceOptions } from "./options/workspace-options.ts"

export const rootOptions: ReadonlyArray<RootOption> = [
  ...promptOptions,
  ...approvalOptions,
  ...workspaceOptions,
  ...otherOptions
]
