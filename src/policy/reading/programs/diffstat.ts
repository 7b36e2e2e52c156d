/**
 * `diffstat` counts the lines of a patch. It starts a program for a file whose name says that it is packed, and with the
 * folders of `-S` and `-D` it reads the files that the patch names.
 */
import { flags, type ProgramTable, valued } from "../program-table.ts"

export const diffstat: ProgramTable = {
  name: "diffstat",
  reason: "prints how much a patch changes",
  options: {
    ...flags("-b -c -C -E -h -k -K -l -m -q -R -s -t -T -u -V"),
    ...valued("-f -n -N -p -r -w"),
    ...valued("-S -D", { effect: "reaches" }),
    ...valued("-e -o", { value: "output" })
  },
  operands: { rest: "file" },
  refuses: ({ operands }) =>
    operands.every(({ isExact, text }) => isExact && /^-$|\.(?:diff|patch|txt)$/.test(text))
      ? undefined
      : { effect: "runs", why: "`diffstat` unpacks a file by its name with another program" }
}
