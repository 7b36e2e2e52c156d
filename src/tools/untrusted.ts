/** Marks text that comes from outside: the model is told not to take instructions from what stands in it. */
import { insideFrame } from "../kernel/prompt-frames.ts"

export const untrusted = (text: string): string => `<untrusted_context>\n${insideFrame(text)}\n</untrusted_context>`
