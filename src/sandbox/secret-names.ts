/** Files that hold secrets, by their names: no confined command sees into them, wherever they lie in its reach. */

const SECRET =
  /^(?:\.env(?:\..+)?|\.envrc|\.netrc|_netrc|\.pgpass|\.git-credentials|\.htpasswd|\.npmrc|\.pypirc|gha-creds-.*\.json|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.pem|.*\.p12|.*\.pfx|.*\.jks|.*\.keystore|.*\.kdbx|(?:client_secret|service[-_]account).*\.json|application_default_credentials\.json|credentials\.(?:json|toml|db)|\.vault-token|oauth_creds\.json)$/i

/** They show which names there are, and no values. */
const SAMPLE = /\.(?:example|sample|template|dist|schema|defaults?|pub)$/i

/** `.npmrc` in a project says where packages come from; with a token in it only the user's own does harm. */
const OF_PROJECTS = /^\.npmrc$/i

/** Certificates are public, and packages bring bundles of them along. */
const isBundle = (name: string): boolean => /^(?:ca|cacert|cert|fullchain|chain|roots?)[\w.-]*\.pem$/i.test(name)

export const isSecretName = (name: string): boolean =>
  SECRET.test(name) && !SAMPLE.test(name) && !OF_PROJECTS.test(name) && !isBundle(name)

/** Below a home folder, whatever their names inside: keys, tokens, wallets, browsers' and this program's own data. */
export const SECRET_PLACES: ReadonlyArray<string> = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/op",
  ".config/google-chrome",
  ".config/chromium",
  ".config/git/credentials",
  ".mozilla",
  ".thunderbird",
  ".password-store",
  ".local/share/keyrings",
  ".git-credentials",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".vault-token",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".terraform.d",
  ".config/rclone",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".cache/BraveSoftware",
  ".cache/chromium",
  ".cache/google-chrome",
  ".cache/microsoft-edge",
  ".cache/mozilla",
  ".cache/thunderbird",
  ".cache/thumbnails",
  ".s3cfg",
  ".my.cnf",
  ".mysql_history",
  ".psql_history",
  ".python_history",
  ".bash_history",
  ".zsh_history",
  ".gemini"
]

/** Of the system; the super-user's commands could read them. */
export const SYSTEM_SECRETS: ReadonlyArray<string> = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/krb5.keytab",
  "/etc/docker",
  "/etc/kubernetes",
  "/etc/wireguard",
  "/etc/NetworkManager/system-connections"
]
