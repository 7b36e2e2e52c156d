/** The part of the package that is used; it comes without types. */
declare module "html-to-text" {
  export interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: { readonly ignoreHref?: boolean; readonly pathRewrite?: (link: string) => string }
  }
  export interface Options {
    readonly wordwrap?: number | false
    readonly limits?: { readonly maxInputLength?: number | undefined; readonly maxDepth?: number }
    readonly selectors?: ReadonlyArray<Selector>
  }
  export const compile: (options: Options) => (html: string) => string
}
