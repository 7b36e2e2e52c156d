/**
 * A syntax tree as plain data, so that everything after the parser is pure and can be tested without it.
 * Offsets count UTF-16 units of the source text.
 */
export interface SyntaxNode {
  readonly type: string
  readonly isNamed: boolean
  readonly start: number
  readonly end: number
  readonly children: ReadonlyArray<SyntaxNode>
}

export type ParseOutcome =
  | { readonly _tag: "Parsed"; readonly root: SyntaxNode; readonly hasError: boolean }
  | { readonly _tag: "TooComplex"; readonly detail: string }

/** Parses a text as bash. Synchronous: the grammar is loaded by whoever makes this function. */
export type ParseShell = (text: string) => ParseOutcome

/** Visits a node and all its descendants, outermost first. */
export const visit = (node: SyntaxNode, onNode: (node: SyntaxNode) => void): void => {
  const stack = [node]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    onNode(next)
    for (let index = next.children.length - 1; index >= 0; index--) {
      const child = next.children[index]
      if (child !== undefined) stack.push(child)
    }
  }
}
