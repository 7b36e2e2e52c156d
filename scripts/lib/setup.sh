# Set-up that every launcher shares: the pinned Bun, the installed packages, one lock around both. Sourced with $root set.
#
# A machine needs npm or any Bun, nothing else. The Bun version is the one of package.json (`engines.bun`); it lives in
# .cache/bun, so the user's own tools stay as they are. The binary of the platform package is started directly: npm may be
# told to skip install scripts, and then the `bun` command that npm links does not work.
#
# Standard output belongs to the program that is started; everything here speaks on standard error, and only when somebody
# is there to read it, or when it fails.

cache=$root/.cache
lock=$cache/setup.lock

say() {
  if [ -t 2 ]; then printf '%s\n' "$*" >&2; fi
}

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs a step quietly; its whole output is shown when it fails.
quietly() {
  log=$cache/step.$$
  if "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
  else
    cat "$log" >&2
    rm -f "$log"
    die "'$*' failed (see above)"
  fi
}

# One set-up or build at a time. The lock is a symbolic link to the owner's process id: made in one step, readable at once.
take_lock() {
  mkdir -p "$cache"
  waited=0
  while ! ln -s "$$" "$lock" 2>/dev/null; do
    owner=$(readlink "$lock" 2>/dev/null || true)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
      # Moved before it is removed: of two that find a dead owner, only one succeeds.
      if mv "$lock" "$lock.$$" 2>/dev/null; then rm -f "$lock.$$"; fi
      continue
    fi
    if [ "$waited" -eq 0 ]; then say "waiting for another set-up to finish"; fi
    if [ "$waited" -ge 300 ]; then die "process ${owner:-unknown} has held $lock for 5 minutes; end it, or remove that link"; fi
    waited=$((waited + 1))
    sleep 1
  done
  trap drop_lock EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

drop_lock() {
  if [ "$(readlink "$lock" 2>/dev/null || true)" = "$$" ]; then rm -f "$lock"; fi
  trap - EXIT HUP INT TERM
}

pinned_version() {
  sed -n 's/^ *"bun": *"\([0-9][^"]*\)".*/\1/p' "$root/package.json" | head -n 1
}

is_pinned() {
  [ "$("$1" --version 2>/dev/null || true)" = "$version" ]
}

# Sets $bun to an executable of the pinned version, if there is one on this machine already.
find_bun() {
  for bun in "$(command -v bun || true)" "$cache"/bun/node_modules/@oven/*/bin/bun "$cache"/bun/node_modules/@oven/*/bin/bun.exe; do
    if [ -x "$bun" ] && is_pinned "$bun"; then return 0; fi
  done
  return 1
}

fetch_bun() {
  mkdir -p "$cache/bun"
  printf '{ "private": true }\n' >"$cache/bun/package.json"
  if command -v npm >/dev/null 2>&1; then
    quietly npm install --prefix "$cache/bun" --ignore-scripts --no-audit --no-fund --no-package-lock "bun@$version"
  elif command -v bun >/dev/null 2>&1; then
    quietly bun add --cwd "$cache/bun" --ignore-scripts "bun@$version"
  else
    die "this needs Bun $version to build; install Node.js with npm (https://nodejs.org) or Bun (https://bun.sh), then try again"
  fi
}

# Package caches go to the home folder as usual; where there is none, they stay in the project.
use_package_caches() {
  if [ -d "${HOME:-}" ] && [ -w "$HOME" ]; then return 0; fi
  export npm_config_cache="$cache/npm" BUN_INSTALL_CACHE_DIR="$cache/packages"
}

# Bun does not read npm's global configuration: a mirror that is set there is handed over.
use_registry_of_npm() {
  if [ -n "${NPM_CONFIG_REGISTRY:-}" ] || ! command -v npm >/dev/null 2>&1; then return 0; fi
  NPM_CONFIG_REGISTRY=$(npm config get registry 2>/dev/null || true)
  case $NPM_CONFIG_REGISTRY in
    http*) export NPM_CONFIG_REGISTRY ;;
    *) unset NPM_CONFIG_REGISTRY ;;
  esac
}

packages_are_current() {
  [ -e "$root/node_modules/.installed" ] &&
    [ -z "$(find "$root/bun.lock" "$root/package.json" -newer "$root/node_modules/.installed")" ]
}

install_packages() {
  use_registry_of_npm
  (cd "$root" && quietly "$bun" install --frozen-lockfile --ignore-scripts)
  touch "$root/node_modules/.installed"
}

# Makes $bun and node_modules ready, and puts that Bun first on PATH. Call with the lock held.
prepare() {
  version=$(pinned_version)
  [ -n "$version" ] || die "package.json names no Bun version in engines.bun"
  use_package_caches
  if ! find_bun; then
    say "getting Bun $version"
    fetch_bun
    find_bun || die "the Bun $version that was installed in $cache/bun does not start on this machine"
  fi
  PATH=$(dirname "$bun"):$PATH
  export PATH
  if ! packages_are_current; then
    say "installing packages"
    install_packages
  fi
}
