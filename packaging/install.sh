#!/bin/sh
# Installs gemini @VERSION@ for the current user: downloads the archive of this machine, checks it, and puts the program in
# place by a rename. Works in dash, busybox and bash; needs tar and one of curl or wget.
set -eu

version='@VERSION@'
base=${GEMINI_FX_DOWNLOAD_BASE:-'@BASE@'}
public_key='@PUBLIC_KEY@'
dir=
modify_path=yes

usage() {
  cat <<'TEXT'
usage: install.sh [--dir DIR] [--version V] [--no-modify-path]

  --dir DIR          where to put the program (default: ~/.local/bin)
  --version V        another version than the one that this script belongs to
  --no-modify-path   leave ~/.profile alone

GEMINI_FX_DOWNLOAD_BASE names a mirror.
TEXT
}

say() { printf '%s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --dir=*) dir=${1#*=} ;;
    --version=*) version=${1#*=} ;;
    --dir | --version)
      [ $# -ge 2 ] && [ -n "$2" ] || die "$1 needs a value"
      if [ "$1" = --dir ]; then dir=$2; else version=$2; fi
      shift
      ;;
    --no-modify-path) modify_path=no ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown argument '$1'; see --help" ;;
  esac
  shift
done
version=${version#v}
case $version in
  '' | *[!0-9A-Za-z.+-]*) die "'$version' is not a version" ;;
esac
if [ -z "$dir" ]; then
  [ -n "${HOME:-}" ] || die "HOME is not set; name a folder with --dir"
  dir=$HOME/.local/bin
fi

# What this machine is, as the archives are named.
target_of_machine() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) die "there is no build for the CPU '$machine'" ;;
  esac
  case $system in
    Darwin)
      # A shell under Rosetta says x86_64.
      if [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then cpu=arm64; fi
      say "darwin-$cpu"
      ;;
    Linux)
      if is_musl; then
        say "linux-$cpu-musl"
      elif [ "$cpu" = x64 ] && [ -r /proc/cpuinfo ] && ! grep -q -w avx2 /proc/cpuinfo; then
        say linux-x64-baseline
      else
        say "linux-$cpu"
      fi
      ;;
    *) die "there is no build for '$system'; on Windows use install.ps1" ;;
  esac
}

is_musl() {
  for loader in /lib64/ld-linux-* /lib/ld-linux-* /lib/*/ld-linux-*; do
    if [ -e "$loader" ]; then return 1; fi
  done
  for loader in /lib/ld-musl-*; do
    if [ -e "$loader" ]; then return 0; fi
  done
  return 1
}

# download FILE: from the base to the scratch folder.
download() {
  url=$base/v$version/$1
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 --connect-timeout 20 -o "$scratch/$1" "$url" || return 1
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$scratch/$1" "$url" || return 1
  else
    die "this needs curl or wget"
  fi
}

sha256_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r <"$1"
  else
    die "this needs sha256sum, shasum or openssl to check the download"
  fi | cut -d ' ' -f 1
}

target=$(target_of_machine) || exit 1
archive=gemini-$version-$target.tar.gz

mkdir -p "$dir" || die "cannot make the folder $dir"
# In the folder itself: a rename within one file system replaces the program in one step.
scratch=$(mktemp -d "$dir/.gemini-install.XXXXXX") || die "cannot write to $dir"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

say "downloading $archive"
download SHA256SUMS || die "cannot download $base/v$version/SHA256SUMS; nothing was changed"
download "$archive" || die "cannot download $base/v$version/$archive; nothing was changed"

if [ -n "$public_key" ] && command -v minisign >/dev/null 2>&1; then
  download SHA256SUMS.minisig || die "the release has no signature, but it should have one; nothing was changed"
  minisign -V -q -P "$public_key" -m "$scratch/SHA256SUMS" >/dev/null 2>&1 ||
    die "the signature of SHA256SUMS is not that of this project; nothing was changed"
  say "signature checked"
fi

expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$archive\$/\1/p" "$scratch/SHA256SUMS")
[ -n "$expected" ] || die "SHA256SUMS does not name $archive; nothing was changed"
actual=$(sha256_of "$scratch/$archive")
[ "$actual" = "$expected" ] ||
  die "the download is damaged or was changed (SHA-256 $actual instead of $expected); nothing was changed"

tar -xzf "$scratch/$archive" -C "$scratch" || die "cannot unpack $archive; nothing was changed"
program=$scratch/gemini-$version-$target/gemini
[ -f "$program" ] || die "$archive holds no program; nothing was changed"
chmod 755 "$program"
found=$("$program" --version 2>/dev/null) || die "the program does not start on this machine; nothing was changed"
[ "$found" = "$version" ] || die "the archive of $version holds version '$found'; nothing was changed"
mv -f "$program" "$dir/gemini" || die "cannot write $dir/gemini; nothing was changed"
say "installed gemini $version ($target) as $dir/gemini"

case :${PATH:-}: in
  *:"$dir":*) ;;
  *)
    if [ "$modify_path" = yes ] && [ -n "${HOME:-}" ]; then
      line="export PATH=\"$dir:\$PATH\" # gemini-fx"
      if ! grep -q -s -F -x "$line" "$HOME/.profile"; then
        printf '\n%s\n' "$line" >>"$HOME/.profile"
        say "added $dir to PATH in ~/.profile; it counts from the next login on"
      fi
    else
      say "$dir is not on PATH"
    fi
    ;;
esac
