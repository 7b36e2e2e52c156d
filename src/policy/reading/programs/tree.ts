/**
 * `tree` prints the names below folders. Its letters take the next words as they come, whatever stands behind them in
 * their group, and `-R` with a depth makes it start itself and write a page into each folder.
 */
import { flags, type ProgramTable, spaced, valued } from "../program-table.ts"

export const tree: ProgramTable = {
  name: "tree",
  reason: "prints the names below the folders that it is given",
  options: {
    ...flags("-a -d -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --gitignore --ignore-case"),
    ...flags("--matchdirs --metafirst --prune --noreport --si --du --inodes --device --dirsfirst --filesfirst"),
    ...flags("--nolinks --fflinks --version --help"),
    ...spaced("-L", { only: /^\d+$/ }),
    ...spaced("-P -I -H -T"),
    ...valued("--charset --filelimit --timefmt --sort"),
    ...valued("--gitfile --infofile --hintro --houtro", { value: "file" }),
    ...spaced("-o", { value: "output" }),
    // It prints files named `.info`, also where they are links; beside the names in a file it looks for `.gitignore`.
    ...flags("-l --info --fromfile", { effect: "reaches" }),
    ...flags("-R", { effect: "runs" })
  },
  operands: { rest: "names", otherwise: "names" }
}
