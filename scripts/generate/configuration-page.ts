/** The reference of settings, made from the table that the program itself reads them by. */
import { JSONSchema, Predicate } from "effect"
import { type SettingKey, settingKeys, settingRow } from "../../src/config/setting-table.ts"

export const configurationPage = (): string => `# Settings

Settings are JSON with comments. Later files win over earlier ones:

1. the defaults of an organisation: \`/etc/gemini-cli/system-defaults.json\`
2. yours: \`~/.gemini/settings.json\`
3. the project's: \`.gemini/settings.json\`, in folders that you trust
4. those of the machine: \`/etc/gemini-cli/settings.json\`, which nobody overrides
5. flags and variables of one run

\`gemini config\` works on them, and leaves your comments where they are:

\`\`\`sh
gemini config init                        # a file with every setting as a comment, and its schema for editors
gemini config set model.name gemini-2.5-flash
gemini config explain model.name          # every source, and which one won
gemini config validate                    # faults with file, line and key; exit 1
\`\`\`

Values may name variables: \`"$NAME"\`, \`"\${NAME:-default}"\`. A key that nobody knows, and a value that cannot be
understood, is said with its line and left out; where it guards something (\`security.*\`, \`mcp.*\`, \`tools.core\`,
\`tools.exclude\`, \`tools.allowed\`, policy paths) the run ends with exit code 52. Flat names of older files are understood.

The last column says what the settings of a *project* may do to a key; where it is empty, they may set it.

${groups().map(groupText).join("\n\n")}

## Accepted and without effect

Keys of the reference for parts that this program does not have. Setting one to something else than what happens anyway
is said at the start and by \`gemini config validate\`.

| key | because |
|---|---|
${unused()
  .map(({ key, because }) => `| \`${key}\` | ${cell(because)} |`)
  .join("\n")}

Keys of the full-screen interface (themes, footer, key bindings of its dialogs) are accepted silently: ${screenKeys()}.
`

interface Group {
  readonly name: string
  readonly keys: ReadonlyArray<SettingKey>
}

const isDescribed = (key: SettingKey): boolean => {
  const { need, unsupported } = settingRow(key)
  return need !== "tui" && unsupported === undefined
}

const groups = (): ReadonlyArray<Group> => {
  const found = new Map<string, Array<SettingKey>>()
  for (const key of settingKeys().filter(isDescribed)) {
    const name = key.includes(".") ? key.slice(0, key.indexOf(".")) : "general"
    const group = found.get(name)
    if (group === undefined) found.set(name, [key])
    else group.push(key)
  }
  return [...found].map(([name, keys]) => ({ name, keys })).toSorted((a, b) => a.name.localeCompare(b.name))
}

const groupText = ({ keys, name }: Group): string => `## ${name}

| key | value | default | what it does | a project may |
|---|---|---|---|---|
${keys.map(rowText).join("\n")}`

const rowText = (key: SettingKey): string => {
  const { default: fallback, description, schema, tightens } = settingRow(key)
  const cells = [
    `\`${key}\``,
    cell(typeText(plainSchema(JSONSchema.make(schema, { target: "jsonSchema2020-12" })))),
    fallback === undefined ? "" : cell(`\`${JSON.stringify(fallback)}\``),
    cell(description),
    cell(tightens?.says ?? "")
  ]
  return `| ${cells.join(" | ")} |`
}

/** A schema that is a reference to one of its own definitions is that definition. */
const plainSchema = (schema: unknown): unknown => {
  if (!Predicate.isRecord(schema) || typeof schema.$ref !== "string" || !Predicate.isRecord(schema.$defs)) return schema
  return schema.$defs[schema.$ref.replace("#/$defs/", "")]
}

/** A word or two; what an object holds is told by \`gemini schema settings\`. */
const typeText = (schema: unknown): string => {
  if (!Predicate.isRecord(schema)) return "any"
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
  if (Array.isArray(schema.anyOf)) return [...new Set(schema.anyOf.map(typeText))].join(" or ")
  switch (schema.type) {
    case "boolean":
      return "true or false"
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? `number from ${schema.minimum}` : "number"
    case "string":
      return "text"
    case "array":
      return "list"
    default:
      return "object"
  }
}

const unused = () =>
  settingKeys().flatMap((key) => {
    const { unsupported } = settingRow(key)
    return unsupported === undefined ? [] : [{ key, because: unsupported.because }]
  })

const screenKeys = (): string =>
  settingKeys()
    .filter((key) => settingRow(key).need === "tui" && settingRow(key).unsupported === undefined)
    .map((key) => `\`${key}\``)
    .join(", ")

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
