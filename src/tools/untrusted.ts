/** Marks text that comes from outside: the model is told not to take instructions from what stands in it. */

const CLOSING = /<\/untrusted_context>/gi

export const untrusted = (text: string): string =>
  `<untrusted_context>\n${text.replace(CLOSING, "&lt;/untrusted_context&gt;")}\n</untrusted_context>`
