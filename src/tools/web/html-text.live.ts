/** HTML as readable text. Loaded when the first HTML page has been fetched. */
import { compile } from "html-to-text"

/** `base` is what relative links are relative to; absent: links are left out. */
export const htmlText = (html: string, base: string | undefined): string =>
  compile({
    wordwrap: false,
    limits: { maxInputLength: undefined, maxDepth: 500 },
    selectors: [
      { selector: "a", options: base === undefined ? { ignoreHref: true } : { pathRewrite: absoluteTo(base) } },
      { selector: "img", format: "skip" }
    ]
  })(html)

/** The package's own `baseUrl` only puts one text before the other. */
const absoluteTo =
  (base: string) =>
  (link: string): string =>
    URL.parse(link, base)?.href ?? link
