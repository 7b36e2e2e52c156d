# Installs gemini @VERSION@ for the current user on Windows: downloads the archive of this machine, checks its SHA-256,
# and puts gemini.exe in place.
param(
  [string]$Dir = (Join-Path $env:LOCALAPPDATA 'Programs\gemini'),
  [string]$Version = '@VERSION@',
  [switch]$NoModifyPath
)
$ErrorActionPreference = 'Stop'
$base = if ($env:GEMINI_FX_DOWNLOAD_BASE) { $env:GEMINI_FX_DOWNLOAD_BASE } else { '@BASE@' }
$Version = $Version -replace '^v', ''
$cpu = if ([System.Runtime.InteropServices.RuntimeInformation]::OSArchitecture -eq 'Arm64') { 'arm64' } else { 'x64' }
$name = "gemini-$Version-windows-$cpu"
$archive = "$name.zip"

New-Item -ItemType Directory -Force -Path $Dir | Out-Null
$scratch = Join-Path $Dir ('.gemini-install-' + [guid]::NewGuid())
New-Item -ItemType Directory -Path $scratch | Out-Null
try {
  Write-Output "downloading $archive"
  foreach ($file in 'SHA256SUMS', $archive) {
    Invoke-WebRequest -UseBasicParsing -Uri "$base/v$Version/$file" -OutFile (Join-Path $scratch $file)
  }
  $line = Get-Content (Join-Path $scratch 'SHA256SUMS') | Where-Object { $_ -match "^[0-9a-f]{64} [ *]$([regex]::Escape($archive))$" }
  if (-not $line) { throw "SHA256SUMS does not name $archive; nothing was changed" }
  $expected = $line.Substring(0, 64)
  $actual = (Get-FileHash -Algorithm SHA256 (Join-Path $scratch $archive)).Hash.ToLowerInvariant()
  if ($actual -ne $expected) { throw "the download is damaged or was changed (SHA-256 $actual instead of $expected); nothing was changed" }
  Expand-Archive -Path (Join-Path $scratch $archive) -DestinationPath $scratch
  $program = Join-Path $scratch "$name\gemini.exe"
  $found = & $program --version
  if ($found -ne $Version) { throw "the archive of $Version holds version '$found'; nothing was changed" }
  $place = Join-Path $Dir 'gemini.exe'
  # A program that runs cannot be replaced, but it can be moved aside.
  if (Test-Path $place) { Move-Item -Force $place "$place.old" }
  Move-Item $program $place
  Write-Output "installed gemini $Version (windows-$cpu) as $place"
} finally {
  Remove-Item -Recurse -Force $scratch
}
$userPath = [Environment]::GetEnvironmentVariable('Path', 'User')
if (($userPath -split ';') -notcontains $Dir) {
  if ($NoModifyPath) {
    Write-Output "$Dir is not on PATH"
  } else {
    [Environment]::SetEnvironmentVariable('Path', (@($userPath, $Dir) | Where-Object { $_ }) -join ';', 'User')
    Write-Output "added $Dir to the user's PATH; it counts in new terminals"
  }
}
