/** Finding the program `hookshell` on this machine. */

import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join, dirname } from "node:path";
import { BinaryNotFoundError } from "./errors.js";

/** The variable that names the program where neither the platform package nor PATH has it. */
export const BINARY_VARIABLE = "HOOKSHELL_BIN";

/** Where to look; tests give their own. */
export interface Look {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
  /** The path of a file in an installed package, or undefined where the package is not installed. */
  readonly resolve: (specifier: string) => string | undefined;
}

const require = createRequire(import.meta.url);

function resolveInstalled(specifier: string): string | undefined {
  try {
    return require.resolve(specifier);
  } catch {
    return undefined;
  }
}

/** The platforms that have a package. */
const PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"];

/** This machine. */
export const HERE: Look = {
  env: process.env,
  platform: process.platform,
  arch: process.arch,
  resolve: resolveInstalled,
};

/** The npm package that has the program for a platform: `@hookshell/cli-linux-x64`. */
export function platformPackage(platform: string = process.platform, arch: string = process.arch): string {
  return `@hookshell/cli-${platform}-${arch}`;
}

/**
 * The absolute path of the program: of the platform package, else the first `hookshell` in PATH, else what
 * `HOOKSHELL_BIN` names.
 *
 * @throws BinaryNotFoundError where none of the three has it. The message lists where it was looked for.
 */
export function findBinary(look: Look = HERE): string {
  const name = look.platform === "win32" ? "hookshell.exe" : "hookshell";
  const pack = platformPackage(look.platform, look.arch);
  const tried: string[] = [];

  const manifest = look.resolve(`${pack}/package.json`);
  if (manifest === undefined) {
    const isPacked = PLATFORMS.includes(`${look.platform}-${look.arch}`);
    tried.push(isPacked ? `the package ${pack} is not installed` : `there is no package for ${look.platform} on ${look.arch}`);
  } else {
    const path = join(dirname(manifest), "bin", name);
    if (isProgram(path)) return path;
    tried.push(`${path} is no program`);
  }

  for (const directory of pathOf(look).split(delimiter)) {
    // A relative entry would give the program to whoever writes to the working directory.
    if (!isAbsolute(directory)) continue;
    const path = join(directory, name);
    if (isProgram(path) && !isLauncher(path)) return path;
  }
  tried.push(`PATH has no ${name}`);

  const named = look.env[BINARY_VARIABLE];
  if (named === undefined || named === "") {
    tried.push(`${BINARY_VARIABLE} is not set`);
  } else if (!isAbsolute(named)) {
    tried.push(`${BINARY_VARIABLE} is not an absolute path: ${named}`);
  } else if (isProgram(named)) {
    return named;
  } else {
    tried.push(`${BINARY_VARIABLE} names no program: ${named}`);
  }
  throw new BinaryNotFoundError(tried);
}

/** The value of PATH. On Windows the variable may be written in any case, for example `Path`. */
function pathOf(look: Look): string {
  if (look.platform !== "win32") return look.env["PATH"] ?? "";
  for (const [name, value] of Object.entries(look.env)) {
    if (name.toUpperCase() === "PATH" && value !== undefined) return value;
  }
  return "";
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How much of a script is read to see whether it is a launcher. */
const LAUNCHER_HEAD = 4096;

/**
 * Is it one of the scripts that npm, bun and pip install under the name `hookshell`? They look for the program in turn: started
 * from here they would find each other forever.
 */
function isLauncher(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const head = Buffer.alloc(LAUNCHER_HEAD);
    const text = head.toString("latin1", 0, readSync(file, head, 0, LAUNCHER_HEAD, 0));
    // pnpm's script starts `hookshell.js` by its path.
    if (text.startsWith("#!")) return /hookshell\.__main__|hookshell-launcher|hookshell\.js/.test(text);
    // On Windows pip's launchers are an .exe that has a zip archive with the script at its end, and bun's one that reads what it is to
    // start from a file beside it.
    return text.startsWith("MZ") && (hasZip(file) || existsSync(`${path.replace(/\.exe$/i, "")}.bunx`));
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** How far from the end of a file the end record of a zip archive is looked for. */
const ZIP_TAIL = 1024;

function hasZip(file: number): boolean {
  const size = fstatSync(file).size;
  const tail = Buffer.alloc(ZIP_TAIL);
  if (size < ZIP_TAIL) return false;
  readSync(file, tail, 0, ZIP_TAIL, size - ZIP_TAIL);
  return tail.includes("PK\x05\x06");
}
