/** Trust in a project's hooks, as it is judged for a client: at each event, by the user's store and no other. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Hookshell, type Options, type StartOptions } from "hookshell";
import { binary, DEADLINE, directory, IS_WINDOWS } from "./support.js";

const OPTIONS = { ...DEADLINE, skip: IS_WINDOWS && "the store is found by other variables there" };

/** A user's home, with projects in it. */
class Home {
  readonly path: string;
  readonly #t: TestContext;
  readonly #variables: Record<string, string>;

  constructor(t: TestContext) {
    this.#t = t;
    this.path = directory(t);
    const [config, state] = [this.at("config"), this.at("state")];
    this.#variables = { HOME: this.path, XDG_CONFIG_HOME: config, XDG_STATE_HOME: state };
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** A project whose one hook says which one ran. */
  project(name: string, says = name): string {
    mkdirSync(this.at(name), { recursive: true });
    const hooks = { PreToolUse: [{ name: "guard", command: "./guard.sh" }] };
    writeFileSync(join(this.at(name), ".crush.json"), JSON.stringify({ hooks }));
    writeFileSync(join(this.at(name), "guard.sh"), `echo ${says} >&2; exit 2\n`);
    return this.at(name);
  }

  /** `hookshell trust` in a project; `env`: over the user's variables. */
  trust(project: string, argument = "--yes", env: Record<string, string> = {}): void {
    const options = { cwd: project, env: { ...process.env, ...this.#variables, ...env }, encoding: "utf8" as const };
    const ran = spawnSync(binary(), ["trust", argument], options);
    assert.equal(ran.status, 0, ran.stderr);
  }

  /** An agent of this user's. */
  async start(options: StartOptions): Promise<Hookshell> {
    const before = { ...process.env };
    Object.assign(process.env, this.#variables);
    // It has started the process, with these variables, when it gives the promise.
    const starting = Hookshell.start({ binary: binary(), dialect: "crush", log: "off", ...options });
    for (const name of Object.keys(this.#variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    const hookshell = await starting;
    this.#t.after(() => hookshell.close());
    return hookshell;
  }
}

/** What the hook said, or how it came out. */
async function asked(hookshell: Hookshell, options: Options = {}): Promise<string | undefined> {
  const event = { event: "PreToolUse", tool: "bash", input: { command: "ls" } };
  const { verdict, messages } = await hookshell.runHooks(event, options);
  const outcome = verdict.hooks[0]?.outcome;
  if (outcome === "Decided") return verdict.reason?.trim();
  if (outcome === "Untrusted") assert(messages?.some(({ text }) => text.includes("trust")), JSON.stringify(messages));
  return outcome;
}

test("variables that the client gives do not name the store of trust", OPTIONS, async (t) => {
  const home = new Home(t);
  const project = home.project("project");
  // The project has a store of its own along, in which it is trusted.
  const forged = { XDG_STATE_HOME: join(project, "state"), HOME: project };
  home.trust(project, "--yes", forged);
  const hookshell = await home.start({ cwd: project, env: forged });
  assert.equal(await asked(hookshell), "Untrusted");
  assert.equal(await asked(hookshell, { env: { ...forged, LOCALAPPDATA: project } }), "Untrusted");
  home.trust(project);
  assert.equal(await asked(hookshell), "project");
});

test("what is changed between two events is not trusted, and trust holds from the next event on", OPTIONS, async (t) => {
  const home = new Home(t);
  const project = home.project("project", "good");
  const script = (says: string) => writeFileSync(join(project, "guard.sh"), `echo ${says} >&2; exit 2\n`);
  home.trust(project);
  const hookshell = await home.start({ cwd: project });
  for (let round = 0; round < 5; round++) {
    script("good");
    assert.equal(await asked(hookshell), "good", `round ${round}`);
    // Of the same length, within one tick of the file system's clock.
    script("evil");
    assert.equal(await asked(hookshell), "Untrusted", `round ${round}`);
  }
  const hooks = { PreToolUse: [{ name: "guard", command: "echo evil >&2; exit 2" }] };
  writeFileSync(join(project, ".crush.json"), JSON.stringify({ hooks }));
  assert.equal(await asked(hookshell), "Untrusted");
  home.trust(project);
  assert.equal(await asked(hookshell), "evil");
  home.trust(project, "--revoke");
  assert.equal(await asked(hookshell), "Untrusted");
});

test("a project gains nothing by the trust in another one, whatever leads to it", OPTIONS, async (t) => {
  const home = new Home(t);
  const [project, other] = [home.project("project"), home.project("other")];
  home.trust(project);
  const hookshell = await home.start({ cwd: home.path });
  const link = home.at("link");
  for (const target of [project, other, project, other]) {
    rmSync(link, { force: true });
    symlinkSync(target, link);
    const expected = target === project ? "project" : "Untrusted";
    assert.equal(await asked(hookshell, { cwd: "link" }), expected);
    assert.equal(await asked(hookshell, { cwd: target }), expected);
  }
  // Outside of all projects, and below the trusted one.
  assert.equal(await asked(hookshell), undefined);
  mkdirSync(join(project, "below"));
  assert.equal(await asked(hookshell, { cwd: "project/below/../../other" }), "Untrusted");
  // A script is looked for from the event's directory, too.
  assert.equal(await asked(hookshell, { cwd: other, project }), "Untrusted");
  assert.equal(await asked(hookshell, { cwd: project, project: other }), "Untrusted");
  // The one in the other's place, and back.
  renameSync(project, home.at("away"));
  renameSync(other, project);
  assert.equal(await asked(hookshell, { cwd: project }), "Untrusted");
  renameSync(project, other);
  renameSync(home.at("away"), project);
  assert.equal(await asked(hookshell, { cwd: project }), "project");
  // A script of the trusted one that is a link to the other's.
  rmSync(join(project, "guard.sh"));
  symlinkSync(join(other, "guard.sh"), join(project, "guard.sh"));
  assert.equal(await asked(hookshell, { cwd: project }), "Untrusted");
});

test("where nobody trusts it, a guard that fails closed denies", OPTIONS, async (t) => {
  const home = new Home(t);
  const hookshell = await home.start({ cwd: home.project("project"), fail_closed: true });
  const { verdict, exit_code } = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: { command: "ls" } });
  assert.deepEqual([verdict.decision, exit_code, verdict.hooks[0]?.outcome], ["deny", 2, "Untrusted"]);
  const trusted = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: {} }, { trust_project: true });
  assert.equal(trusted.verdict.reason?.trim(), "project");
});
