/**
 * What compilers make: symbols, sections and texts of binary files. Left out is what follows links in the files to others
 * (source text, separate debugging information) or loads code (`--plugin`). A word `@file` is replaced by the words in
 * that file before anything else is read, so none may begin that way.
 */
import { type CallRefusal, flags, optional, type ParsedCall, type ProgramTable, valued } from "../program-table.ts"

const refusesLists = ({ operands, options, table }: ParsedCall): CallRefusal | undefined =>
  [...operands, ...options.flatMap(({ value }) => (value === undefined ? [] : [value]))].some(
    ({ isExact, text }) => text.startsWith("@") || (text === "" && !isExact)
  )
    ? { effect: "unknown", why: `\`${table.name}\` takes words from the file behind an \`@\`` }
    : undefined

const objectFile = (name: string, reason: string, options: ProgramTable["options"]): ProgramTable => ({
  name,
  reason,
  options,
  operands: { rest: "file" },
  refuses: refusesLists
})

export const objectFiles: ReadonlyArray<ProgramTable> = [
  objectFile("strings", "prints the texts in the files that it is given", {
    ...flags("-a -d -f -h -o -v -V -w --all --data --print-file-name --include-all-whitespace --help --version"),
    ...valued("-e -n -s -t -T -U --bytes --encoding --output-separator --radix --target --unicode")
  }),
  objectFile("nm", "prints the symbols of the files that it is given", {
    ...flags("-a -A -B -C -D -e -g -h -j -n -o -p -P -r -s -S -u -V -W --debug-syms --print-file-name --no-demangle"),
    ...flags("--recurse-limit --no-recurse-limit --dynamic --extern-only --just-symbols --numeric-sort --no-sort"),
    ...flags("--portability --reverse-sort --print-size --print-armap --quiet --size-sort --special-syms --synthetic"),
    ...flags("--undefined-only --defined-only --no-weak --with-symbol-versions --help --version"),
    ...valued("-f -t --format --ifunc-chars --radix --target --unicode"),
    ...optional("--demangle"),
    ...valued("--plugin", { effect: "runs" })
  }),
  objectFile("size", "prints the sizes of sections", {
    ...flags("-A -B -G -o -d -x -t -f -h -H -v -V --totals --common --help --version"),
    ...valued("--format --radix --target")
  }),
  objectFile("objdump", "prints headers and code of the files that it is given", {
    ...flags("-a -f -p -h -x -d -D -s -t -T -r -R -v -H -F -C -w -z --archive-headers --file-headers"),
    ...flags("--private-headers --headers --section-headers --all-headers --disassemble-all --full-contents --syms"),
    ...flags("--dynamic-syms --reloc --dynamic-reloc --version --help --file-offsets --recurse-limit"),
    ...flags("--no-recurse-limit --wide --disassemble-zeroes --no-addresses --prefix-addresses --show-raw-insn"),
    ...flags("--no-show-raw-insn --show-all-symbols --special-syms"),
    ...valued("-b -m -j -M --target --architecture --section --disassembler-options --endian --start-address"),
    ...valued("--stop-address --insn-width --adjust-vma --disassembler-color --unicode"),
    ...optional("--disassemble --demangle --visualize-jumps"),
    ...flags("-S -l --source --line-numbers", { effect: "reaches" }),
    // It tries every format on a file that it makes.
    ...flags("-i --info", { effect: "writes" })
  }),
  objectFile("readelf", "prints headers and symbols of the files that it is given", {
    ...flags("-a -h -l -S -g -t -e -s -C -n -r -u -d -V -A -c -D -L -z -I -W -T -H -v --all --file-header"),
    ...flags("--program-headers --segments --section-headers --sections --section-groups --section-details --headers"),
    ...flags(
      "--syms --symbols --dyn-syms --lto-syms --no-demangle --recurse-limit --no-recurse-limit --notes --relocs"
    ),
    ...flags("--unwind --dynamic --version-info --arch-specific --archive-index --use-dynamic --lint --enable-checks"),
    ...flags("--decompress --histogram --wide --silent-truncation --help --version"),
    ...valued("-x -p -R --hex-dump --string-dump --relocated-dump --unicode"),
    ...optional("--demangle"),
    ...flags("-P --process-links", { effect: "reaches" })
  })
]
