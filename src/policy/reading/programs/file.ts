/**
 * `file` says what a file is by how it begins. Looking into packed files starts other programs, compiling its own data
 * writes, and keeping the time of access sets it.
 */
import { flags, type ProgramTable, valued } from "../program-table.ts"

export const file: ProgramTable = {
  name: "file",
  reason: "prints what kind of file it is given",
  options: {
    ...flags("-v -b -c -i -k -l -L -h -n -N -0 -r -s -d --help --version --brief --checking-printout --mime --apple"),
    ...flags("--extension --mime-type --mime-encoding --keep-going --list --dereference --no-dereference --no-buffer"),
    ...flags("--no-pad --print0 --raw --special-files --debug"),
    ...valued("-e -F -P --exclude --exclude-quiet --separator --parameter"),
    ...valued("-f --files-from", { effect: "reaches" }),
    ...flags("-z -Z --uncompress --uncompress-noreport", { effect: "runs" }),
    ...flags("-p -C --preserve-date --compile", { effect: "writes" })
  },
  operands: { rest: "file" }
}
