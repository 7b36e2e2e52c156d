/** Shell lines that change files that give power (`power-table.ts`), where everything else about them is allowed. */
import { type CorpusGroup, group } from "./corpus-group.ts"

const REDIRECTIONS = [
  "echo x > .gemini/settings.json",
  "echo x >> .gemini/hooks.toml",
  "echo x >| .gemini/policies/own.toml",
  "echo x &> .gemini/policy.toml",
  "echo x > ./src/../.gemini/commands/x.toml",
  "echo x > src/.gemini/settings.json",
  "echo x > .GEMINI/settings.json",
  "echo x > '.gemini'/\"settings.json\"",
  "cd .gemini && echo x > settings.json",
  "ls >&.gemini/settings.json 0>/dev/null",
  "ls >& .gemini/settings.json 0>| /dev/null",
  "ls > .vscode/tasks.json",
  "ls > .idea/workspace.xml",
  "ls > .bashrc",
  "ls > .profile",
  "ls > .config/fish/config.fish",
  "ls > .ssh/config",
  "ls > .npmrc",
  "ls > .gitattributes",
  "ls > .husky/pre-commit",
  "ls > .githooks/post-checkout",
  "ls > .envrc",
  "ls > .env.production",
  "ls > .mcp.json",
  "ls > .bashrc.d/x",
  "ls > .Rprofile",
  "ls > mise.local.toml",
  "ls > opencode.json",
  "ls > evil/HEAD",
  "pwd 2>&1 | cat > .zshenv"
]

export const POWER_LINES: ReadonlyArray<CorpusGroup> = [
  group("auto_edit", "ask", "redirections into files that give power", REDIRECTIONS),
  group("yolo", "allow", "the same, where everything is allowed", REDIRECTIONS),
  group("auto_edit", "allow", "redirections into other files", [
    "echo x > notes.md",
    "echo x > src/gemini.ts",
    "echo x > .gitignore",
    "echo x > .env.example",
    "echo x > package.json",
    "echo x > GEMINI.md",
    "echo x > .gemini/GEMINI.md"
  ]),
  group("named", "ask", "a rule for a program that writes them", [
    "touch .gemini/settings.json",
    "touch -r a.txt .gemini/settings.json",
    "touch a.txt .vscode/launch.json",
    "touch -- .envrc",
    "touch ~/.bashrc",
    "touch $HOME/.ssh/authorized_keys",
    "touch $SOMEWHERE",
    "touch {.envrc,a.txt}",
    "cd src && touch ../.gemini/settings.json",
    "timeout 5 touch .gemini/settings.json",
    "git checkout evil -- .gemini/settings.json",
    "git restore --source=evil .vscode",
    "echo .envrc | xargs touch"
  ]),
  group("named", "allow", "the same rules for other files", [
    "touch a.txt src/b.ts",
    "touch src/{a,b}.ts",
    "git checkout main -- src",
    "git add .gemini/settings.json",
    "git commit -m '.env'"
  ])
]
