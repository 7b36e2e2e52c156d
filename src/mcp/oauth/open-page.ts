/** Opens a page in the browser of the person, where there is one. */
import { Effect } from "effect"

const OPENERS: Partial<Record<NodeJS.Platform, ReadonlyArray<string>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/** Whether there is a browser is not known before it was tried, and the address stands on the screen in any case. */
export const openPage = (url: string, platform: NodeJS.Platform) =>
  Effect.ignore(
    Effect.try(() =>
      Bun.spawn([...(OPENERS[platform] ?? ["xdg-open"]), url], {
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore"
      }).unref()
    )
  )
