/** `.deb` and `.rpm`: the program, its manual page and completions in the places where a system looks for them. */
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { runQuietly } from "../run-quietly.ts"
import { type Epoch, layOut } from "./archives.ts"
import { HOMEPAGE, type ReleaseTarget } from "./targets.ts"

export interface SystemFiles {
  readonly binary: string
  readonly manPage: string
  readonly license: string
  readonly completions: { readonly bash: string; readonly zsh: string; readonly fish: string }
}

export interface SystemPackage {
  readonly version: string
  readonly epoch: Epoch
  readonly scratch: string
  readonly out: string
  readonly files: SystemFiles
}

const SUMMARY = "terminal agent for Gemini models"
const DESCRIPTION = [
  "One-shot prompts, shell pipelines with JSON output and conversations in",
  "the terminal, with tools that act as far as their user allows."
]
const MAINTAINER = "gemini-fx maintainers <maintainers@gemini-fx.invalid>"

export const writeDeb = async (made: SystemPackage, arch: NonNullable<ReleaseTarget["deb"]>): Promise<void> => {
  const root = join(made.scratch, `deb-${arch}`)
  await rm(root, { recursive: true, force: true })
  await layOutSystem(root, made, "usr/share/zsh/vendor-completions")
  await layOut(root, [
    { text: copyright(), to: "usr/share/doc/gemini-fx/copyright" },
    { text: debChangelog(made), to: "usr/share/doc/gemini-fx/changelog" },
    { text: overrides(), to: "usr/share/lintian/overrides/gemini-fx" },
    { text: control(made.version, arch), to: "DEBIAN/control" }
  ])
  await runQuietly(["gzip", "-9n", join(root, "usr/share/doc/gemini-fx/changelog")])
  await runQuietly(
    [
      "dpkg-deb",
      "--root-owner-group",
      "-Zxz",
      "-z1",
      "--build",
      root,
      join(made.out, `gemini-fx_${made.version}_${arch}.deb`)
    ],
    { env: { ...process.env, SOURCE_DATE_EPOCH: String(made.epoch) } }
  )
}

export const writeRpm = async (made: SystemPackage, arch: NonNullable<ReleaseTarget["rpm"]>): Promise<void> => {
  const top = join(made.scratch, `rpm-${arch}`)
  const root = join(top, "tree")
  await rm(top, { recursive: true, force: true })
  await layOutSystem(root, made, "usr/share/zsh/site-functions")
  await layOut(root, [{ from: made.files.license, to: "usr/share/licenses/gemini-fx/LICENSE" }])
  await mkdir(join(top, "rpms"), { recursive: true })
  const spec = join(top, "gemini-fx.spec")
  await writeFile(spec, rpmSpec(made.version, root))
  const defines = {
    _topdir: top,
    _rpmdir: join(top, "rpms"),
    _rpmfilename: "%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm",
    _buildhost: "gemini-fx",
    _build_id_links: "none",
    __os_install_post: "%{nil}",
    use_source_date_epoch_as_buildtime: "1",
    clamp_mtime_to_source_date_epoch: "1",
    _binary_payload: "w6.gzdio"
  }
  await runQuietly(
    [
      "rpmbuild",
      "-bb",
      `--target=${arch}-linux`,
      ...Object.entries(defines).flatMap(([name, value]) => ["--define", `${name} ${value}`]),
      spec
    ],
    { env: { ...process.env, SOURCE_DATE_EPOCH: String(made.epoch) } }
  )
  const name = `gemini-fx-${made.version}-1.${arch}.rpm`
  await layOut(made.out, [{ from: join(top, "rpms", name), to: name }])
}

const layOutSystem = async (root: string, { epoch, files }: SystemPackage, zshFolder: string): Promise<void> => {
  await layOut(root, [
    { from: files.binary, to: "usr/bin/gemini", mode: 0o755 },
    { from: files.manPage, to: "usr/share/man/man1/gemini.1" },
    { text: files.completions.bash, to: "usr/share/bash-completion/completions/gemini" },
    { text: files.completions.zsh, to: `${zshFolder}/_gemini` },
    { text: files.completions.fish, to: "usr/share/fish/vendor_completions.d/gemini.fish" }
  ])
  await runQuietly(["gzip", "-9n", join(root, "usr/share/man/man1/gemini.1")])
  await runQuietly(["find", root, "-exec", "touch", "-h", "-d", `@${epoch}`, "{}", "+"])
}

const control = (version: string, arch: string): string =>
  [
    "Package: gemini-fx",
    `Version: ${version}`,
    `Architecture: ${arch}`,
    `Maintainer: ${MAINTAINER}`,
    "Section: utils",
    "Priority: optional",
    "Depends: libc6 (>= 2.28)",
    "Recommends: ca-certificates, git, bubblewrap",
    "Conflicts: gemini-cli",
    `Homepage: ${HOMEPAGE}`,
    `Description: ${SUMMARY}`,
    ...DESCRIPTION.map((line) => ` ${line}`),
    ""
  ].join("\n")

const copyright = (): string =>
  [
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
    "Upstream-Name: gemini-fx",
    `Source: ${HOMEPAGE}`,
    "",
    "Files: *",
    "Copyright: the gemini-fx authors",
    "License: Apache-2.0",
    " On Debian systems the text of the Apache License 2.0 is in",
    " /usr/share/common-licenses/Apache-2.0.",
    ""
  ].join("\n")

const debChangelog = ({ epoch, version }: SystemPackage): string =>
  [
    `gemini-fx (${version}) stable; urgency=medium`,
    "",
    "  * See CHANGELOG.md of the project.",
    "",
    ` -- ${MAINTAINER}  ${new Date(epoch * 1000).toUTCString().replace("GMT", "+0000")}`,
    ""
  ].join("\n")

/** The runtime comes with its libraries built in, and stripping it would cut off the program behind it. */
const overrides = (): string => ["gemini-fx: unstripped-binary-or-object", "gemini-fx: embedded-library", ""].join("\n")

const rpmSpec = (version: string, root: string): string =>
  [
    "Name: gemini-fx",
    `Version: ${version}`,
    "Release: 1",
    `Summary: ${SUMMARY}`,
    "License: Apache-2.0",
    `URL: ${HOMEPAGE}`,
    "AutoReqProv: no",
    "Requires: glibc >= 2.28",
    "Recommends: ca-certificates, git, bubblewrap",
    "Conflicts: gemini-cli",
    "",
    "%description",
    ...DESCRIPTION,
    "",
    "%install",
    `cp -a ${root}/. %{buildroot}/`,
    "",
    "%files",
    "%attr(0755,root,root) /usr/bin/gemini",
    ...[
      "/usr/share/man/man1/gemini.1.gz",
      "/usr/share/bash-completion/completions/gemini",
      "/usr/share/zsh/site-functions/_gemini",
      "/usr/share/fish/vendor_completions.d/gemini.fish",
      "/usr/share/licenses/gemini-fx/LICENSE"
    ].map((path) => `%attr(0644,root,root) ${path}`),
    ""
  ].join("\n")
