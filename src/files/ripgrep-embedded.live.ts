/**
 * The ripgrep that is built into the binary, as a path inside it (or in `node_modules` when run from source).
 *
 * The bundler replaces `process.platform` and `process.arch` by those of `--target` and drops the other branches before
 * it resolves their imports, so a binary carries exactly one program.
 */

/** `null` on a platform for which there is none. */
export const embeddedRipgrep = async (): Promise<string | null> => {
  if (process.platform === "linux" && process.arch === "x64")
    return (await import("@vscode/ripgrep-linux-x64/bin/rg", { with: { type: "file" } })).default
  if (process.platform === "linux" && process.arch === "arm64")
    return (await import("@vscode/ripgrep-linux-arm64/bin/rg", { with: { type: "file" } })).default
  if (process.platform === "darwin" && process.arch === "x64")
    return (await import("@vscode/ripgrep-darwin-x64/bin/rg", { with: { type: "file" } })).default
  if (process.platform === "darwin" && process.arch === "arm64")
    return (await import("@vscode/ripgrep-darwin-arm64/bin/rg", { with: { type: "file" } })).default
  if (process.platform === "win32" && process.arch === "x64")
    return (await import("@vscode/ripgrep-win32-x64/bin/rg.exe", { with: { type: "file" } })).default
  if (process.platform === "win32" && process.arch === "arm64")
    return (await import("@vscode/ripgrep-win32-arm64/bin/rg.exe", { with: { type: "file" } })).default
  return null
}
