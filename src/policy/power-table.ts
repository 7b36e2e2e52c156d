/**
 * Files that give power: whoever writes one decides what runs later, with whose rights, and what is allowed. A change to
 * one is asked about in every approval mode but yolo, because "edits are fine" was not said about these.
 *
 * Data only. What is left out on purpose: sources, tests and everything else that runs only when somebody runs the
 * project, which is what edits are for. Definitions of builds and of continuous integration are of that kind too: they
 * act after a person has started or pushed them, a test file reaches the same machine, and the services that run them
 * guard their own definitions. Who wants to be asked about them says so (`security.powerFiles`).
 */

export const POWER_GROUPS = ["build", "ci"] as const
/** Asked about only where the settings name the group. */
export type PowerGroup = (typeof POWER_GROUPS)[number]

export type PowerKind =
  /** How this agent works. */
  | "agent"
  /** What this program keeps for itself: sessions, undo, trust, credentials. No question opens it. */
  | "own"
  | "repository"
  | "shell"
  | "credentials"
  | "start"
  | "editor"
  | "environment"
  | "program"
  | "system"
  /** Another name of a file that nobody knows. */
  | "hard-link"
  /** Where the write goes is known only when it happens. */
  | "unknown"
  /** The settings name it. */
  | "named"
  | PowerGroup

export interface PowerRow {
  readonly kind: PowerKind
  /** What such a file does, to complete "it changes X, which …". */
  readonly does: string
  /**
   * In lower case, `/` between folders, `*` for any letters of one name. They are looked for at every depth, and each
   * stands for itself and for everything below it.
   */
  readonly names: ReadonlyArray<string>
  readonly group?: PowerGroup
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

export const POWER_ROWS: ReadonlyArray<PowerRow> = [
  {
    kind: "agent",
    does: "decides what gemini runs and allows",
    names: words(".gemini gemini-extension.json hooks/hooks.json")
  },
  {
    kind: "agent",
    does: "decides what another agent runs and allows",
    names: words(
      ".mcp.json .claude .codex .cursor .windsurf .aider.conf.yml .continue .agents .roo .cline .opencode opencode.json " +
        "opencode.jsonc .kiro .amazonq .qwen .augment .junie .trae .crush.json .goose .factory .qoder .iflow .codebuddy .copilot"
    )
  },
  {
    kind: "repository",
    does: "names programs that version control runs",
    names: words(".git .gitmodules .gitattributes .gitconfig .lfsconfig .config/git .hg .hgrc .svn .jj")
  },
  {
    kind: "repository",
    does: "runs at the next commit",
    names: words(
      ".githooks .git-hooks .husky .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml " +
        ".lefthook.yml .lefthook.yaml lefthook-local.yml .lefthook-local.yml .lefthook .overcommit.yml .huskyrc .huskyrc.* " +
        "husky.config.js .lintstagedrc .lintstagedrc.* lint-staged.config.* .simple-git-hooks.* simple-git-hooks.* " +
        "captainhook.json grumphp.yml grumphp.yml.dist"
    )
  },
  {
    kind: "shell",
    does: "runs in every new shell or interpreter",
    names: words(
      ".bashrc .bashrc.d .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .zshrc .zshrc.d .zshenv .zprofile .zlogin .zlogout " +
        ".kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .config/fish .config/nushell .config/zsh .config/bash " +
        ".config/elvish .oh-my-zsh .config/powershell .direnvrc .config/direnv .config/mise .config/starship.toml .ipython .pythonrc .irbrc .pryrc " +
        ".rprofile .renviron .julia/config .ghci .iex.exs .pdbrc .perldb .octaverc .psqlrc .sqliterc .guile .ocamlinit " +
        ".byebugrc .rdbgrc .erlang sitecustomize.py usercustomize.py .config/bash_completion .local/share/bash-completion"
    )
  },
  {
    kind: "credentials",
    does: "decides who gets in, and where this user's credentials go",
    names: words(
      ".ssh .gnupg .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc .config/pip .pip pip.conf .cargo/config " +
        ".cargo/config.toml .cargo/credentials .cargo/credentials.toml .m2/settings.xml .gradle/init.gradle " +
        ".gradle/init.d .gem/credentials .docker/config.json .aws .azure .kube .config/gcloud .config/gh .config/hub " +
        ".git-credentials .bundle .password-store .pgpass .my.cnf .terraformrc .sops.yaml gha-creds-*.json"
    )
  },
  {
    kind: "start",
    does: "is started with the session, or by the clock",
    names: words(
      "crontab .config/systemd .config/autostart .config/environment.d .pam_environment .xinitrc .xprofile .xsession " +
        ".xsessionrc .config/plasma-workspace library/launchagents library/launchdaemons var/spool/cron " +
        ".local/share/applications .local/share/systemd .local/share/dbus-1 .config/upstart .config/i3 .config/sway " +
        ".config/hypr .config/awesome .config/kitty .config/alacritty .config/ghostty .config/wezterm .wezterm.lua"
    )
  },
  {
    kind: "program",
    does: "holds programs that are found by their names",
    names: words(
      ".local/bin .cargo/bin .bun/bin .deno/bin .npm-global/bin .pyenv/shims .asdf/shims .venv venv/bin venv/scripts " +
        "site-packages dist-packages .yarn/releases .yarn/plugins .yarn/sdks .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs"
    )
  },
  {
    kind: "editor",
    does: "holds tasks and settings by which editors run programs",
    names: words(
      ".vscode .vscode-server .helix .lvimrc *.code-workspace .idea .zed .fleet .nova .devcontainer .devcontainer.json .theia .vim " +
        ".vimrc .exrc .nvimrc .nvim.lua .config/nvim .emacs .emacs.d .config/emacs .dir-locals.el .dir-locals-2.el " +
        ".gvimrc _vimrc _gvimrc .ideavimrc .spacemacs .doom.d .gdbinit .lldbinit .config/code .sublime-project *.sublime-project .editrc .screenrc .tmux.conf .config/tmux"
    )
  },
  {
    kind: "environment",
    does: "sets variables for programs that are started here",
    names: words(".env .env.* .envrc .envrc.* mise.toml mise.*.toml .mise.toml .mise.*.toml .mise")
  },
  {
    kind: "build",
    group: "build",
    does: "names commands that building and testing run",
    names: words(
      "package.json makefile gnumakefile *.mk justfile .justfile taskfile.yml taskfile.yaml rakefile gruntfile.js " +
        "gulpfile.js build.rs build.gradle build.gradle.kts settings.gradle pom.xml setup.py setup.cfg pyproject.toml " +
        "tox.ini noxfile.py conftest.py rust-toolchain rust-toolchain.toml bunfig.toml turbo.json nx.json deno.json deno.jsonc cmakelists.txt dockerfile " +
        "docker-compose.yml docker-compose.yaml compose.yml compose.yaml vagrantfile procfile gradle.properties " +
        "gradle/wrapper .mvn .sbtopts .jvmopts .bazelrc tools/bazel .rspec .latexmkrc latexmkrc ansible.cfg flake.nix " +
        "shell.nix default.nix nuget.config directory.build.props directory.build.targets .config/dotnet-tools.json"
    )
  },
  {
    kind: "ci",
    group: "ci",
    does: "names commands that continuous integration runs, with its secrets",
    names: words(
      ".github/workflows .github/actions .gitlab-ci.yml .gitlab/ci .circleci .travis.yml .buildkite .drone.yml " +
        ".woodpecker .woodpecker.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile cloudbuild.yaml " +
        ".gitea/workflows .forgejo/workflows appveyor.yml .appveyor.yml .cirrus.yml .semaphore"
    )
  }
]

/** Templates hold no values: writing one sets nothing. */
export const HARMLESS_NAMES: ReadonlyArray<string> = words(
  ".env.example .env.sample .env.template .env.dist .env.schema .env.*.example .env.*.sample .env.*.template .envrc.example"
)

/** Below the root of the file system: what all users run by. */
export const SYSTEM_FOLDERS: ReadonlyArray<string> = words("etc boot bin sbin lib lib64 usr opt root/.ssh")

/** Entries of the user's own folder of this program that it keeps for itself. */
export const OWN_STATE: ReadonlyArray<string> = words(
  "tmp history projects.json trustedfolders.json trusted_hooks.json policy_integrity.json extension_integrity.json " +
    "oauth_creds.json google_accounts.json gemini-credentials.json mcp-oauth-tokens.json mcp-server-enablement.json " +
    "integrity.key cache cache.key a2a-oauth-tokens.json mcp-logins.json a2a-logins.json code-assist-account.json installation_id user_id state.json acknowledgments"
)

/** Entries of a project's folder for data that belong to the program; models may write others there. */
export const OWN_DATA: ReadonlyArray<string> = words(
  "chats logs logs.json logs.json.* shell_history checkpoints checkpoint-*.json tool-outputs .project_root .retention"
)

/** Below a session's folder in it. Plans stand there too, and are the model's. */
export const OWN_SESSION_DATA: ReadonlyArray<string> = words("tracker tasks")
