/** Manifests of other package managers, made from the archives and their sums. Pure. */

import type { Target } from "../build-options.ts"
import { archiveName, DOWNLOAD_BASE, HOMEPAGE, RELEASE_TARGETS } from "./targets.ts"

export interface Released {
  readonly version: string
  readonly sums: ReadonlyMap<string, string>
}

interface Archive {
  readonly url: string
  readonly sha256: string
}

/** Path below the folder of the release, and content. */
export const packageManifests = (released: Released): ReadonlyMap<string, string> => {
  const of = (name: Target): Archive => archiveOf(released, name)
  const { version } = released
  return new Map([
    ["homebrew/gemini-fx.rb", homebrew(version, of)],
    ["scoop/gemini-fx.json", scoop(version, of)],
    ["winget/gemini-fx.yaml", winget(version, of)],
    ["nix/flake.nix", nix(version, of)],
    ["aur/PKGBUILD", aur(version, of)]
  ])
}

const archiveOf = ({ sums, version }: Released, name: Target): Archive => {
  const target = RELEASE_TARGETS.find((row) => row.name === name)
  if (target === undefined) throw new Error(`${name} is not released`)
  const file = archiveName(version, target)
  const sha256 = sums.get(file)
  if (sha256 === undefined) throw new Error(`${file} has no sum`)
  return { url: `${DOWNLOAD_BASE}/v${version}/${file}`, sha256 }
}

type Find = (name: Target) => Archive

const SUMMARY = "Terminal agent for Gemini models"

const homebrew = (version: string, of: Find): string => {
  const part = (name: Target, indent: string): string =>
    `${indent}url "${of(name).url}"\n${indent}sha256 "${of(name).sha256}"`
  return `class GeminiFx < Formula
  desc "${SUMMARY}"
  homepage "${HOMEPAGE}"
  version "${version}"
  license "Apache-2.0"

  on_macos do
    on_arm do
${part("darwin-arm64", "      ")}
    end
    on_intel do
${part("darwin-x64", "      ")}
    end
  end

  on_linux do
    on_arm do
${part("linux-arm64", "      ")}
    end
    on_intel do
${part("linux-x64", "      ")}
    end
  end

  conflicts_with "gemini-cli", because: "both install a gemini program"

  def install
    bin.install "gemini"
    man1.install "gemini.1"
    bash_completion.install "completions/gemini.bash" => "gemini"
    zsh_completion.install "completions/_gemini"
    fish_completion.install "completions/gemini.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/gemini --version").strip
  end
end
`
}

const scoop = (version: string, of: Find): string => {
  const part = (name: Target) => ({
    url: of(name).url,
    hash: of(name).sha256,
    extract_dir: `gemini-${version}-${name}`
  })
  const manifest = {
    version,
    description: SUMMARY,
    homepage: HOMEPAGE,
    license: "Apache-2.0",
    architecture: { "64bit": part("windows-x64"), arm64: part("windows-arm64") },
    bin: "gemini.exe"
  }
  return `${JSON.stringify(manifest, null, 4)}\n`
}

const winget = (version: string, of: Find): string => {
  const installer = (architecture: string, name: Target): string => `  - Architecture: ${architecture}
    InstallerType: zip
    InstallerUrl: ${of(name).url}
    InstallerSha256: ${of(name).sha256.toUpperCase()}
    NestedInstallerType: portable
    NestedInstallerFiles:
      - RelativeFilePath: gemini-${version}-${name}\\gemini.exe
        PortableCommandAlias: gemini`
  return `PackageIdentifier: GeminiFx.Gemini
PackageVersion: ${version}
PackageLocale: en-US
Publisher: gemini-fx
PackageName: gemini-fx
License: Apache-2.0
ShortDescription: ${SUMMARY}
PackageUrl: ${HOMEPAGE}
Installers:
${installer("x64", "windows-x64")}
${installer("arm64", "windows-arm64")}
ManifestType: singleton
ManifestVersion: 1.6.0
`
}

const nix = (version: string, of: Find): string => {
  const source = (system: string, name: Target): string => `      "${system}" = {
        url = "${of(name).url}";
        sha256 = "${of(name).sha256}";
      };`
  return `{
  description = "${SUMMARY}";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }: let
    sources = {
${source("x86_64-linux", "linux-x64")}
${source("aarch64-linux", "linux-arm64")}
${source("x86_64-darwin", "darwin-x64")}
${source("aarch64-darwin", "darwin-arm64")}
    };
    package = system: let pkgs = nixpkgs.legacyPackages.\${system}; in pkgs.stdenv.mkDerivation {
      pname = "gemini-fx";
      version = "${version}";
      src = pkgs.fetchurl sources.\${system};
      nativeBuildInputs = [ pkgs.installShellFiles ]
        ++ pkgs.lib.optionals pkgs.stdenv.isLinux [ pkgs.autoPatchelfHook ];
      # The program is appended to the runtime: stripping would cut it off.
      dontStrip = true;
      installPhase = ''
        install -Dm755 gemini $out/bin/gemini
        installManPage gemini.1
        installShellCompletion --cmd gemini --bash completions/gemini.bash --zsh completions/_gemini --fish completions/gemini.fish
      '';
      meta.mainProgram = "gemini";
    };
  in {
    packages = nixpkgs.lib.genAttrs (builtins.attrNames sources) (system: { default = package system; });
  };
}
`
}

const aur = (version: string, of: Find): string => `# Maintainer: gemini-fx maintainers
pkgname=gemini-fx-bin
pkgver=${version}
pkgrel=1
pkgdesc='${SUMMARY}'
arch=('x86_64' 'aarch64')
url='${HOMEPAGE}'
license=('Apache-2.0')
depends=('glibc')
optdepends=('git: history and undo' 'bubblewrap: sandbox')
provides=('gemini-fx')
conflicts=('gemini-fx' 'gemini-cli')
options=('!strip')
source_x86_64=('${of("linux-x64").url}')
source_aarch64=('${of("linux-arm64").url}')
sha256sums_x86_64=('${of("linux-x64").sha256}')
sha256sums_aarch64=('${of("linux-arm64").sha256}')

package() {
  cd gemini-${version}-linux-*
  install -Dm755 gemini "$pkgdir/usr/bin/gemini"
  install -Dm644 gemini.1 "$pkgdir/usr/share/man/man1/gemini.1"
  install -Dm644 completions/gemini.bash "$pkgdir/usr/share/bash-completion/completions/gemini"
  install -Dm644 completions/_gemini "$pkgdir/usr/share/zsh/site-functions/_gemini"
  install -Dm644 completions/gemini.fish "$pkgdir/usr/share/fish/vendor_completions.d/gemini.fish"
  install -Dm644 LICENSE "$pkgdir/usr/share/licenses/$pkgname/LICENSE"
}
`
