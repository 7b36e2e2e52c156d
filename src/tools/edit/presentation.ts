/** How an edit is shown: short paths, and the diff code, which is loaded when the first edit needs it. */

import { relative } from "node:path"
import { isInside } from "../../files/containment.ts"
import { lazy } from "../../kernel/lazy.ts"

/** Relative inside the working directory, absolute elsewhere. */
export const describePath = (path: string, workspaceDir: string): string =>
  isInside(workspaceDir, path) && path !== workspaceDir ? relative(workspaceDir, path) : path

export const loadDiff = lazy(() => import("./file-diff.live.ts"))
