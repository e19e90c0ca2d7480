<#
.SYNOPSIS
Installs hookshell for the current user: downloads the archive of a release, checks its SHA-256 sum, and puts the programs into a
directory of the user's. It needs no administrator.

.EXAMPLE
powershell -ExecutionPolicy Bypass -File install.ps1 -Version 0.1.0
.EXAMPLE
powershell -ExecutionPolicy Bypass -File install.ps1 -Uninstall
#>
[CmdletBinding()]
param(
    [string]$Version = "",
    [string]$Directory = (Join-Path $env:LOCALAPPDATA "Programs\hookshell"),
    [switch]$AddToPath,
    [switch]$Uninstall
)
Set-StrictMode -Version 2
$ErrorActionPreference = "Stop"
# Windows PowerShell's progress bar makes downloads ten times slower.
$ProgressPreference = "SilentlyContinue"

$repository = "@REPOSITORY@"
$base = if ($env:HOOKSHELL_BASE_URL) { $env:HOOKSHELL_BASE_URL.TrimEnd("/") } else { "$repository/releases" }
# Path has whole paths, and so has what PowerShell finds there.
$Directory = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Directory)
# bash.exe and sh.exe are for agents; they stand in a directory of their own, so that they come before no other bash in PATH.
$bin = Join-Path $Directory "bin"
$shells = Join-Path $Directory "shells"

$registry = "registry::HKEY_CURRENT_USER\Environment"

# The user's Path as it is written: what .NET gives has the %VARIABLES% in it replaced, and written back they would be lost.
function Get-UserPath {
    @((Get-Item -LiteralPath $registry).GetValue("Path", "", "DoNotExpandEnvironmentNames") -split ";" | Where-Object { $_ })
}

function Set-UserPath([string[]]$Directories) {
    Set-ItemProperty -LiteralPath $registry -Name Path -Type ExpandString -Value ($Directories -join ";")
    # To set and remove any variable in this way tells the programs that run, so that a new terminal has the new Path.
    $any = "hookshell-" + [Guid]::NewGuid().ToString()
    [Environment]::SetEnvironmentVariable($any, "1", "User")
    [Environment]::SetEnvironmentVariable($any, [NullString]::Value, "User")
}

# A program that runs cannot be overwritten, but renamed.
function Install-Program([string]$From, [string]$To) {
    # A name of its own: one that was renamed before may still run.
    $old = "$To." + [Guid]::NewGuid().ToString("N") + ".old"
    if (Test-Path -LiteralPath $To) { Move-Item -LiteralPath $To -Destination $old }
    try {
        Copy-Item -LiteralPath $From -Destination $To
    } catch {
        # The program that was there stays.
        if (Test-Path -LiteralPath $old) { Move-Item -Force -LiteralPath $old -Destination $To }
        throw
    }
    Remove-Old $To
}

# Those that no longer run.
function Remove-Old([string]$Program) {
    $directory = Split-Path -Parent $Program
    if (Test-Path -LiteralPath $directory) {
        Get-ChildItem -LiteralPath $directory -Filter "$(Split-Path -Leaf $Program).*.old" |
            Remove-Item -Force -ErrorAction SilentlyContinue
    }
}

if ($Uninstall) {
    $program = Join-Path $bin "hookshell.exe"
    if (-not (Test-Path -LiteralPath $program)) { throw "nothing is installed in $Directory (there is no $program)" }
    # Hooks that are started through a program that is gone would guard nothing, and nobody could take it out of the configs.
    $first = Get-Command -Name "hookshell" -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if (-not $first -or $first.Path -eq $program) {
        foreach ($option in @("--user", "--shell")) {
            $wired = @(& $program uninstall $option --dry-run | Where-Object { $_ -like "--- *" })
            if ($wired) { throw "nothing is removed: run  hookshell uninstall $option  first, since agents start it: $wired" }
        }
    }
    # The program comes last: where an agent runs a shell that cannot be removed, -Uninstall can be tried again.
    foreach ($file in @("shells\bash.exe", "shells\sh.exe", "bin\hookshell.exe")) {
        $path = Join-Path $Directory $file
        if (Test-Path -LiteralPath $path) { Remove-Item -Force -LiteralPath $path }
        Remove-Old $path
    }
    foreach ($path in @($bin, $shells, $Directory)) {
        if ((Test-Path -LiteralPath $path) -and -not (Get-ChildItem -LiteralPath $path)) { Remove-Item -LiteralPath $path }
    }
    $directories = @(Get-UserPath)
    if ($directories -contains $bin) { Set-UserPath @($directories | Where-Object { $_ -ne $bin }) }
    Write-Host "hookshell is no longer installed in $Directory"
    return
}

# Only a packed script knows where its releases are.
if ($base.StartsWith("@")) { throw "this is the script of the sources: take that of a release, or set HOOKSHELL_BASE_URL" }
if ($Version -eq "latest") { $Version = "" }
# It is a part of an address: with a slash in it that could be another project's.
if ($Version -notmatch '^[A-Za-z0-9.+_-]*\z') { throw "that is no version: $Version" }
$processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
$targets = switch ($processor) {
    "AMD64" { @("x86_64-pc-windows-msvc", "x86_64-pc-windows-gnu") }
    "ARM64" { @("aarch64-pc-windows-msvc") }
    default { throw "there is no binary for Windows on $processor" }
}
$at = if ($Version) { "$base/download/v$($Version -replace '^v', '')" } else { "$base/latest/download" }
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

$work = Join-Path ([IO.Path]::GetTempPath()) ("hookshell." + [Guid]::NewGuid().ToString("N"))
New-Item -ItemType Directory -Path $work | Out-Null
try {
    $sums = Join-Path $work "SHA256SUMS"
    Invoke-WebRequest -UseBasicParsing -Uri "$at/SHA256SUMS" -OutFile $sums
    $archive = $null
    foreach ($target in $targets) {
        foreach ($line in Get-Content -LiteralPath $sums) {
            if ($line -match "^([0-9a-f]{64})  (hookshell-[^/\\]+-$([regex]::Escape($target))\.zip)$") {
                $expected = $Matches[1]
                $archive = $Matches[2]
            }
        }
        if ($archive) { break }
    }
    if (-not $archive) { throw "the release at $at has no archive for $($targets -join ' or ')" }
    $zip = Join-Path $work $archive
    Invoke-WebRequest -UseBasicParsing -Uri "$at/$archive" -OutFile $zip
    $found = (Get-FileHash -LiteralPath $zip -Algorithm SHA256).Hash
    if ($found -ne $expected) { throw "$archive is not what the release says: its SHA-256 is $found, not $expected" }
    Expand-Archive -LiteralPath $zip -DestinationPath $work
    $from = Join-Path $work ($archive -replace '\.zip$', '')
    $says = & (Join-Path $from "hookshell.exe") --version
    if ($LASTEXITCODE -ne 0) { throw "the program does not run on this machine" }
    New-Item -ItemType Directory -Force -Path $bin, $shells | Out-Null
    Install-Program (Join-Path $from "hookshell.exe") (Join-Path $bin "hookshell.exe")
    foreach ($shell in @("bash.exe", "sh.exe")) {
        Install-Program (Join-Path $from $shell) (Join-Path $shells $shell)
    }
} finally {
    Remove-Item -Recurse -Force -LiteralPath $work
}

Write-Host "$says is installed in $bin"
if (@(Get-UserPath) -notcontains $bin) {
    if ($AddToPath) {
        Set-UserPath (@(Get-UserPath) + $bin)
        Write-Host "$bin is in the user's Path now: open a new terminal"
    } else {
        Write-Host "$bin is not in Path: run this script with -AddToPath, or add it in the system's settings"
    }
}
