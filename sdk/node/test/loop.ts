// The loop of docs/sdk.md, which a strict compiler takes: docs.test.ts compares them.
import { createInterface } from "node:readline";
import { Hookshell } from "hookshell";

const hookshell = await Hookshell.start({ dialect: "crush", configs: ["hooks.json"] });
for await (const command of createInterface({ input: process.stdin })) {
  const call = { event: "PreToolUse", tool: "bash", input: { command } };
  const { verdict } = await hookshell.runHooks(call);
  if (verdict.decision === "deny") {
    console.log("denied:", verdict.reason);
    continue;
  }
  const result = await hookshell.exec(String(verdict.updated_input?.command ?? command), { timeout: 60 });
  console.log(result.stdout + result.stderr + `exit code ${result.exit_code}`);
}
await hookshell.close();
