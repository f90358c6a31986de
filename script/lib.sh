# What our scripts share. Source it; it does nothing by itself.

# Says what happens next.
step() { printf '\n\033[1m==> %s\033[0m\n' "$*"; }

# Stops with a reason.
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The Rust toolchain is the one thing that we do not install.
need_rust() {
  command -v cargo >/dev/null 2>&1 || {
    [ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
  }
  command -v cargo >/dev/null 2>&1 || die "Rust is missing: install it with rustup (any recent stable)"
}

# Installs Debian packages that are not there yet; costs nothing if they all are.
need_apt() {
  local missing=()
  for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null 2>&1 || die "please install: ${missing[*]}"
  step "installing ${missing[*]}"
  local sudo=""
  [ "$(id -u)" -eq 0 ] || sudo="sudo"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# A C compiler links every Rust program.
need_linker() { command -v cc >/dev/null 2>&1 || need_apt gcc libc6-dev; }

# A Python environment of the project's own with the packages that its checks import.
need_python() {
  local wanted="$*" stamp=".venv/installed"
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return 0
  step "Python packages: $wanted"
  command -v python3 >/dev/null 2>&1 || need_apt python3
  python3 -m venv .venv 2>/dev/null || { need_apt python3-venv; python3 -m venv .venv; }
  .venv/bin/pip install -q --disable-pip-version-check "$@"
  printf '%s' "$wanted" > "$stamp"
}

# Node.js builds the page and runs its tests.
need_node() {
  command -v npm >/dev/null 2>&1 || need_apt nodejs npm
  local major
  major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
  [ "$major" -ge 20 ] || die "Node.js $(node --version) is too old for the page: install 20.19 or newer"
}

# The page's packages; costs nothing if they are there.
need_page_packages() {
  need_node
  local installed=web/node_modules/.package-lock.json
  [ -f "$installed" ] && [ ! web/package-lock.json -nt "$installed" ] && return 0
  step "packages of the page"
  (cd web && npm ci --silent)
}

# Builds the page, which becomes part of the program; costs nothing if nothing of it changed.
build_page() {
  local built=web/dist/index.html changed
  changed=$(find web/src web/public web/index.html web/*.json web/*.ts web/*.js -newer "$built" -print -quit 2>/dev/null || true)
  [ -f "$built" ] && [ -z "$changed" ] && return 0
  need_page_packages
  step "building the page"
  (cd web && npm run --silent build)
}
