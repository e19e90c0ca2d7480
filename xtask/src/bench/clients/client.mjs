// One measure of `hookshell serve`, or of what stands beside it, from Node: prints `nanoseconds N`.
//
//   node client.mjs MODE COUNT HOOKSHELL CONFIG SDK
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [mode, text, binary, config, sdk] = process.argv.slice(2);
const count = Number(text);
const now = () => process.hrtime.bigint();

function allowed({ verdict, exit_code }) {
  if (exit_code !== 0 || verdict.hooks.length !== 1) throw new Error(`not one hook that lets through: ${JSON.stringify(verdict)}`);
}

/** The median time of one turn, after some that do not count. */
async function median(turn) {
  for (let i = 0; i < Math.min(count, 50); i++) await turn();
  const times = [];
  for (let i = 0; i < count; i++) {
    const begin = now();
    await turn();
    times.push(Number(now() - begin));
  }
  return times.sort((a, b) => a - b)[count >> 1];
}

function started(program, args, onData) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", onData);
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${program}: exit code ${code}`))));
  });
}

/** `hookshell run` started for one event, as an agent without `serve` does it. */
async function run() {
  const output = [];
  const event = ["PreToolUse", "--tool", "bash", "--input", '{"command":"ls"}'];
  await started(binary, ["run", ...event, "--config", config], (data) => output.push(data));
  const verdict = JSON.parse(Buffer.concat(output).toString());
  allowed({ verdict, exit_code: 0 });
}

async function withServe(measure) {
  const { Hookshell } = await import(pathToFileURL(`${sdk}/dist/index.js`));
  const hookshell = await Hookshell.start({ binary, configs: [config], dialect: "crush" });
  const call = { event: "PreToolUse", tool: "bash", input: { command: "ls" } };
  const event = async () => allowed(await hookshell.runHooks(call));
  try {
    for (let i = 0; i < Math.min(count, 50); i++) await event();
    return await measure(hookshell, event);
  } finally {
    await hookshell.close();
  }
}

/** The most memory that the process has had, in bytes; 0 where the system does not tell. */
function peak(pid) {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function isBounded(hookshell, what) {
  const bytes = peak(hookshell.pid);
  if (bytes > 128 * 1024 * 1024) throw new Error(`${what}: serve had ${bytes} bytes of memory`);
}

const modes = {
  runs: () => median(run),
  events: () => withServe((_, event) => median(event)),
  commands: () =>
    withServe((hookshell) =>
      median(async () => {
        const { stdout } = await hookshell.exec("echo hi");
        if (stdout !== "hi\n") throw new Error(`echo hi gave ${stdout}`);
      }),
    ),
  // For one event, of all that are under way at once.
  flood: () =>
    withServe(async (hookshell, event) => {
      const begin = now();
      await Promise.all(Array.from({ length: count }, event));
      const time = Number(now() - begin) / count;
      isBounded(hookshell, `${count} events at once`);
      return time;
    }),
  sequence: () =>
    withServe(async (_, event) => {
      const begin = now();
      for (let i = 0; i < count; i++) await event();
      return Number(now() - begin) / count;
    }),
  // `count` MiB of text.
  output: () =>
    withServe(async (hookshell) => {
      const size = count * 1024 * 1024;
      let bytes = 0;
      const begin = now();
      await hookshell.exec(`yes 'a line of an ordinary text file' | head -c ${size}`, {
        onOutput: (chunk) => {
          bytes += chunk.length;
        },
      });
      const time = Number(now() - begin);
      if (bytes !== size) throw new Error(`${bytes} of ${size} bytes`);
      isBounded(hookshell, `${count} MiB of output`);
      return time;
    }),
  // The same, for a client that reads the messages and does nothing with them: what hookshell itself does.
  messages: async () => {
    const size = count * 1024 * 1024;
    const child = spawn(binary, ["serve"], { stdio: ["pipe", "pipe", "inherit"] });
    const send = (id, method, params) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    send(0, "initialize", { protocol_version: 1 });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const begin = now();
    send(1, "shell/exec", { command: `yes 'a line of an ordinary text file' | head -c ${size}` });
    let end = "";
    await new Promise((resolve) => {
      child.stdout.on("data", (data) => {
        // The result is the last line, and short.
        end = (end + data.subarray(-300).toString("latin1")).slice(-300);
        if (end.includes('"result"') && end.endsWith("\n")) resolve();
      });
    });
    const time = Number(now() - begin);
    if (!end.includes(`"stdout_bytes":${size}`)) throw new Error(`not ${size} bytes: ${end}`);
    isBounded(child, `${count} MiB of output`);
    child.stdin.end();
    await new Promise((resolve) => child.on("close", resolve));
    return time;
  },
  // The same through a pipe, without anything that frames it.
  pipe: async () => {
    let bytes = 0;
    const size = count * 1024 * 1024;
    const begin = now();
    await started("sh", ["-c", `yes 'a line of an ordinary text file' | head -c ${size}`], (data) => (bytes += data.length));
    const time = Number(now() - begin);
    if (bytes !== size) throw new Error(`${bytes} of ${size} bytes`);
    return time;
  },
};

console.log(`nanoseconds ${Math.round(await modes[mode]())}`);
