/**
 * Variables that guide other programs: which of them run, what they load before their own work, which settings they
 * obey, and where their connections go. One list for all who must know: a shell line that sets one in front of a command,
 * and a `.env` file of a project, which may set none of them.
 *
 * A name that is missing here is a hole; one too many costs a question or a line in a file of the user's own.
 */

const SHELL_AND_LOADER = [
  "LD_.*|DYLD_.*|_RLD.*|LIBPATH|SHLIB_PATH|GLIBC_TUNABLES|MALLOC_.*|GCONV_PATH|LOCPATH|NLSPATH|GETCONF_DIR",
  "BASH.*|FUNC.*|ENV|IFS|SHELL|SHELLOPTS|PS[0-4]|CDPATH|FPATH|ZDOTDIR|ZSH.*|FISH_.*|KSH_.*|INPUTRC|POSIXLY_CORRECT",
  "RANDOM|SECONDS|OPTIND|LINENO|HIST(?:FILE|FILESIZE|SIZE|CONTROL|IGNORE|TIMEFORMAT|CMD|CHARS)|TERMINFO.*|TERMCAP",
  "PATH|PATHEXT|COMSPEC|PSMODULEPATH|SYSTEMROOT|WINDIR|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|XDG_.*|SUDO_.*|DOAS_.*"
]

/** Programs that start a pager, an editor, a helper or another shell, and files that tell them to. */
const HELPERS = [
  ".*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|MAN(?:PATH|OPT|SECT|_.*)?|.*ASKPASS.*|.*_RSH|.*_SHELL|.*_OPTIONS|.*_OPTS",
  ".*_(?:COMMAND|EXECUTABLE|EXECUTABLE_PATH|INTERPRETER|PRELOAD|STARTUP|STARTUP_HOOKS|PLUGIN_PATH)",
  "GIT_.*|SVN_.*|HG.*|CVS_.*|BZR.*|DIFF(?:_.*|PROG)?|FZF_.*|RIPGREP_.*|GREP_.*|BAT_.*|AWK.*|GAWK.*|TAPE|ZIPOPT|UNZIP.*",
  "SSH|SSH_(?:AUTH_SOCK|AGENT.*|SK_.*|USER_AUTH|ORIGINAL_COMMAND)|GNUPGHOME|GPG_.*|PASSWORD_STORE_.*|OPENSSL_.*",
  "CURL_HOME|.*WGETRC|NETRC|PSQLRC|PG(?:SERVICEFILE|SYSCONFDIR|PASSFILE)|MYSQL_HOME|ODBC(?:INI|SYSINI)|TCLLIBPATH",
  "VIM|VIMINIT|VIMRUNTIME|EXINIT|MYVIMRC|NVIM_.*|EMACS.*|DIRENV_.*|ASDF_.*|MISE_.*|STARSHIP_.*|SYSTEMD_.*|TMUX.*",
  "KUBECONFIG|HELM_.*|ANSIBLE_.*|TF_(?:CLI|PLUGIN|DATA).*|VAGRANT_.*|CLOUDSDK_.*|GOOGLE_EXTERNAL_ACCOUNT_.*",
  "AWS_(?:CONFIG_FILE|SHARED_CREDENTIALS_FILE)|AZURE_(?:CONFIG|EXTENSION)_DIR|DOCKER_(?:CONFIG|CLI.*)|BUILDKIT_.*",
  "GTK_.*|GDK_.*|GIO_.*|GST_.*|QT_.*|VK_.*|LIBGL_.*|CUDA_INJECTION.*|OCL_ICD.*"
]

const INTERPRETERS_AND_BUILDS = [
  "PYTHON.*|PYENV_.*|PIP_.*|PIPENV_.*|PIPX_.*|POETRY_.*|PDM_.*|UV_.*|VIRTUAL_ENV|VIRTUALENV_.*|CONDA_.*|MAMBA_.*",
  "NODE_(?:OPTIONS|PATH|EXTRA.*|REPL.*|REDIRECT.*|V8.*|ICU.*|CHANNEL.*|COMPILE.*|PRESERVE.*|TEST_.*)|NVM_.*|VOLTA_.*",
  "(?:NPM|PNPM|YARN|BUN|DENO|COREPACK|FNM|TS_NODE|TSX|ELECTRON|ESBUILD|PUPPETEER|PLAYWRIGHT|BABEL|JITI)_.*",
  "PERL.*|RUBY.*|RBENV_.*|GEM_.*|BUNDLE_.*|BUNDLER_.*|LUA_.*|R_.*|RENV_.*|PHPRC|PHP_.*|COMPOSER_.*|JULIA_.*|OCAML.*|OPAM.*",
  "JAVA_.*|_JAVA_.*|JDK_.*|CLASSPATH|MAVEN_.*|M2_.*|MVN.*|GRADLE_.*|KOTLIN_.*|GROOVY_.*|SCALA_.*|SBT_.*|ANT_.*",
  "DOTNET_.*|CORECLR_.*|COR_.*|COMPLUS_.*|MSBUILD.*|NUGET_.*|ERL_.*|ELIXIR_.*|MIX_.*|HEX_.*|GHC.*|CABAL_.*|STACK_.*",
  // Not `GOOGLE_…`.
  "C?GO|C?GO_.*|GO(?:PATH|ROOT|BIN|ENV|FLAGS|PROXY|PRIVATE|NOPROXY|SUMDB|NOSUMDB|INSECURE|VCS|TOOLCHAIN|TOOLDIR|WORK)",
  "GO(?:TMPDIR|CACHE.*|MODCACHE|OS|ARCH|EXPERIMENT|DEBUG|AUTH)|CARGO.*|RUSTC.*|RUSTDOC.*|RUSTUP.*|RUST_TOOLCHAIN",
  "CC|CXX|CPP|LD|AR|AS|NM|[A-Z]*FLAGS|MAKE|MAKE(?:FILES|LEVEL|SHELL|_.*)|GNUMAKE.*|CMAKE_.*|CTEST_.*|PKG_CONFIG.*",
  "CPATH|LIBRARY_PATH|COMPILER_PATH|.*INCLUDE_PATH|GCC_.*|CCACHE_.*|SCCACHE_.*|DISTCC_.*|AUTO(?:CONF|MAKE|HEADER)"
]

/** Where connections go, whom they believe, where temporary files lie. */
const CONNECTIONS = [
  "(?:HTTPS?|FTP|ALL|NO|SOCKS|RSYNC|WSS?|GRPC)_PROXY|.*_PROXY|RES_OPTIONS|HOSTALIASES|LOCALDOMAIN|RESOLV_.*",
  "SSL_CERT_.*|SSLKEYLOGFILE|.*_CA_(?:BUNDLE|CERTS?|FILE|PATH)|.*_EXTRA_CA_CERTS|NODE_(?:TLS|USE|NO)_.*|KRB5.*",
  "AWS_(?:ENDPOINT_URL.*|EC2_METADATA.*|CONTAINER_.*)|GCE_METADATA.*|DOCKER_(?:HOST|CONTEXT|CERT_PATH|TLS.*)",
  "DISPLAY|WAYLAND_.*|XAUTHORITY|DBUS_.*|TMPDIR|TMP|TEMP"
]

const anyOf = (families: ReadonlyArray<string>): RegExp => new RegExp(`^(?:${families.join("|")})$`)

const PROGRAMS = anyOf([...SHELL_AND_LOADER, ...HELPERS, ...INTERPRETERS_AND_BUILDS])
const PLACES = anyOf(CONNECTIONS)

/** Change only how something looks, or are a plain fact about the run. */
const HARMLESS = new Set([
  ...["CI", "COLUMNS", "DEBUG", "FORCE_COLOR", "LANG", "LANGUAGE", "LINES", "NODE_ENV", "NO_COLOR"],
  ...["PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "RUST_BACKTRACE", "RUST_LOG", "TERM", "TZ"]
])

export const isHarmlessVariable = (name: string): boolean => HARMLESS.has(name) || name.startsWith("LC_")

/** Decides which programs run, or what they load. Lower case counts where programs read it so. */
export const guidesPrograms = (name: string): boolean =>
  !isHarmlessVariable(name) && PROGRAMS.test(/^(?:npm|yarn)_/.test(name) ? name.toUpperCase() : name)

/** Whatever a file that is not the user's own must leave alone. Some systems do not tell case from case. */
export const guidesAnything = (name: string): boolean => {
  const upper = name.toUpperCase()
  return !isHarmlessVariable(upper) && (PROGRAMS.test(upper) || PLACES.test(upper))
}
